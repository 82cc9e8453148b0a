import { test } from '@jest/globals';
import { appendFileSync, writeFileSync } from 'node:fs';
import { dialectNames, dialects } from '../../local-service/dialects/index.mts';
import { createWorld } from './outcomes/world.mts';
import { operationSpeakers } from './outcomes/speakers.mts';
import { sessionSpeakers } from './outcomes/sessions.mts';
import { watchers } from './outcomes/watchers.mts';
import { outcomeOf } from './outcomes/outcome.mts';

const speakers = [...operationSpeakers, ...sessionSpeakers, ...watchers];
const names = (process.env.D ?? ',').split(',').filter(Boolean);
test('probe', async () => {
	const out = process.env.OUT ?? '/tmp/outcomes.txt';
	writeFileSync(out, '');
	for (const name of process.env.D === 'all' ? ['', ...dialectNames] : process.env.D === 'second' ? ['', ...dialectNames.filter((n) => dialects[n].ignores)] : ['', ...names]) {
		for (const told of name && (dialects as any)[name].overrides && process.env.TOLD ? [false, true] : [false]) {
			const t0 = performance.now();
			const world = await createWorld(name ? [name] : [], told);
			const t1 = performance.now();
			for (const s of speakers) {
				const t = performance.now();
				const o = await outcomeOf(s, world);
				const ms = Math.round(performance.now() - t);
				appendFileSync(
					out,
					`${name || 'none'}${told ? ' (told)' : ''} | ${s.name} | ${o.kind} | ${'how' in o ? o.how : 'says' in o ? o.says : ''} | ${ms} ms\n`,
				);
			}
			appendFileSync(
				out,
				`# ${name} set up ${Math.round(t1 - t0)} ms, all ${Math.round(performance.now() - t0)} ms ${world.problems.join().slice(0, 300)}\n`,
			);
			await world.close();
		}
	}
}, 600_000);
