// Denials of folders and files against a real shell, with programs that only say which files their words name.
// DENIED_COMMANDS=5000 SEED=7 npm test -- -i test/unit/denied-files
import { expect, test } from '@jest/globals';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { DeniedFiles, touchFiles } from './deniedFiles.mts';
import { policy, request, rule } from './policies.mts';
import { SHELLS } from './shells.mts';

const SEED = Number(process.env.SEED ?? 74);
const COUNT = Number(process.env.DENIED_COMMANDS ?? 300);
const PER_DENIAL = 25;
const TIMEOUT_MS = 1_800_000;
/** Where the rules believe that the commands run */
const WORK = '/srv/files';

const at = (folder: string, text: string) => text.replaceAll('@WORK@', folder);

test.each(SHELLS)(
	`$name touches no denied file by a command that's approved, of ${COUNT} with seed ${SEED}`,
	({ path }) => {
		const generated = new DeniedFiles(SEED);
		const cases = Array.from({ length: Math.ceil(COUNT / PER_DENIAL) }, () =>
			generated.denial(),
		).flatMap((denial) =>
			Array.from({ length: PER_DENIAL }, () => {
				return { ...denial, command: generated.command(denial.target) };
			}),
		);
		const touched = touchFiles(
			path,
			cases.map(
				({ command }) =>
					(work: string) =>
						at(work, command),
			),
		);
		const isTouched = (_: unknown, index: number) =>
			touched[index].some((file) => `${file}/`.startsWith(`${cases[index].target}/`));
		const dangerous = cases.filter(isTouched);
		expect(dangerous.length).toBeGreaterThan(COUNT / 2);
		const approved = dangerous.filter(({ pattern, command }) =>
			[rule('*', '*', 'approve'), rule('bash', `${command.split(' ', 1)[0]} *`, 'approve')].some(
				(approval) =>
					decideRequest(
						request({ patterns: [at(WORK, command)] }),
						policy({ rules: [rule('*', at(WORK, pattern), 'deny'), approval] }),
					).decision === 'approve',
			),
		);
		expect(approved).toEqual([]);
	},
	TIMEOUT_MS,
);
