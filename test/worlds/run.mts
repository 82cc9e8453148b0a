// Runs one world, and returns everything that the oracle reads.
import { replaceNetwork } from '../support/http.mts';
import type { Fault } from './faults.mts';
import { createPeople, type People } from './people.mts';
import { createRandom } from './random.mts';
import { createService, type Service } from './service.mts';
import { createShell, type Row, type Shell } from './shell.mts';
import { createTime } from './time.mts';
import { AGENTS } from './workflow.mts';
import { HOUR, MINUTE, SECOND, type World } from './world.mts';

export interface History {
	world: World;
	began: number;
	ended: number;
	/** Time was up before all had ended */
	isCut: boolean;
	service: Service;
	people: People;
	shell: Shell;
	/** One line per event that matters */
	log: string[];
}

const START = Date.UTC(2026, 9, 5, 9);
const HORIZON_MS = 14 * HOUR;
/** What isn't over so long after all sessions have ended is endless. */
const AFTERMATH_MS = 3 * HOUR;
/** Looking costs more than most events. */
const EVENTS_BETWEEN_LOOKS = 16;
const MAX_EVENTS = 40_000;

const isEnded = ({ status }: Row) => !['running', 'waiting'].includes(status);

/** Returns whether an item has so many sessions that more tell nothing new. */
function hasTooManySessions(
	{ settings, second, isEqual, items }: World,
	{ sessions }: Service,
	rows: number,
): boolean {
	if (sessions.length < 4) return false;
	const tries = Math.max(settings?.maxTries ?? 1, second?.maxTries ?? 1);
	const counts = new Map<string, number>();
	for (const { label } of sessions) counts.set(label, (counts.get(label) ?? 0) + 1);
	return (
		Math.max(...counts.values()) > tries * Math.min(rows, 4) * (isEqual ? items.length : 1) + 1
	);
}

/** Runs a world. With a fault, the package has it. */
export async function runWorld(world: World, fault?: Fault): Promise<History> {
	const time = createTime(START);
	const random = createRandom(`run ${world.seed}`);
	const lines: string[] = [];
	const log = (line: string) =>
		void lines.push(`${((time.now() - START) / SECOND).toFixed(1)} ${line}`);
	const service = createService(world, time, random.fork('service'), log);
	let shell: Shell;
	const people = createPeople(world, time, service, () => shell, log);
	shell = createShell(world, time, random.fork('shell'), service, log, people.receive, fault);
	const { count: retriesWanted = 0, afterMs = MINUTE, isCurrent = false } = world.retries ?? {};
	const retriesOf = new Map<string, number>();
	const asked = new Set<string>();
	/** Retries that somebody is about to make */
	let pending = 0;

	let triggered = 0;
	/** A trigger that finds n8n down comes again. */
	function trigger(): void {
		if (!shell.isUp()) return void time.after(30 * SECOND, trigger);
		triggered++;
		const name = `run${world.areExecutionsEqual ? 1 : triggered}`;
		shell.trigger(
			world.items.map((_, item) => {
				const task = `${name} item${world.isEqual ? 0 : item}`;
				if (!world.continues || world.shape === 'chain') return { task };
				const [A, B] = AGENTS.map((node) => service.prepare(`${node} ${task}`));
				return { task, A, B };
			}),
		);
	}

	/** People look for failed executions every few seconds, and retry them after a while. */
	function lookAround(): void {
		for (const row of shell.rows.values()) {
			if (!['error', 'crashed'].includes(row.status) || asked.has(row.id)) continue;
			if (row.parentId !== undefined || row.workflow.id === 'answers' || world.isManual) continue;
			const origin = shell.originOf(row.id);
			const count = retriesOf.get(origin) ?? 0;
			if (count >= retriesWanted) continue;
			asked.add(row.id);
			pending++;
			retriesOf.set(origin, count + 1);
			const retry = () => {
				if (!shell.isUp()) return void time.after(30 * SECOND, retry);
				pending--;
				if (['error', 'crashed'].includes(row.status)) shell.retry(row.id, isCurrent);
			};
			time.after(afterMs, retry);
		}
		time.after(5 * SECOND, lookAround);
	}

	const bringNetworkBack = replaceNetwork(async (request) => await shell.send(request));
	const moves = 1 + (world.executionsAt?.length ?? 0);
	let events = 0;
	let isCut = false;
	let restAt = 0;
	const { behindMs = 0 } = world;
	try {
		shell.start();
		time.after(SECOND, trigger);
		for (const ms of world.executionsAt ?? []) time.after(ms, trigger);
		time.after(5 * SECOND, lookAround);
		if (world.stopAt !== undefined) time.after(world.stopAt, () => shell.stop('1'));
		const { clock } = world;
		if (clock) time.after(clock.at, () => shell.setClock(clock.byMs));

		await time.run(() => {
			if (++events % EVENTS_BETWEEN_LOOKS !== 0) return false;
			const now = time.now();
			const rows = [...shell.rows.values()];
			const areAllEnded = rows.length > 0 && triggered === moves && rows.every(isEnded);
			const isQuiet =
				shell.isUp() &&
				areAllEnded &&
				pending === 0 &&
				rows.every(
					({ status, endedAt = now }) => status === 'success' || now > endedAt + afterMs + MINUTE,
				);
			restAt = isQuiet ? restAt || now : 0;
			const haveEnded = service.sessions.length > 0 && service.sessions.every(({ ended }) => ended);
			const lastEnd = Math.max(START, ...service.sessions.map(({ endedAt = 0 }) => endedAt));
			const isEndless = !areAllEnded && haveEnded && now > lastEnd + AFTERMATH_MS + behindMs;
			isCut =
				now > START + HORIZON_MS ||
				events > MAX_EVENTS ||
				isEndless ||
				hasTooManySessions(world, service, rows.length);
			return isCut || (restAt > 0 && now > restAt + MINUTE);
		});
	} finally {
		time.leave();
		bringNetworkBack();
	}
	return { world, began: START, ended: time.now(), isCut, service, people, shell, log: lines };
}
