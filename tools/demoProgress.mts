// Tells what the local service is being asked while a workflow runs, one line per thing that happened.
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { LocalService, ServedRequest } from './demoService.mts';

type Teller = (request: ServedRequest, seen: Set<string>) => string[];

const SESSION = '/agent/sessions/[^/]+';

/** What each kind of request means to somebody who watches */
const tellers: Array<[method: string, path: RegExp, tell: Teller]> = [
	['POST', /\/agent\/sessions$/, ({ answer }) => [`session started: ${answer?.sessionId ?? answer?.id}`]],
	['GET', new RegExp(`${SESSION}$`), tellPoll],
	['POST', new RegExp(`${SESSION}/interactions/[^/]+/resolve$`), ({ body }) => [styleText('green', `decided:   ${body?.response}`)]],
	['POST', new RegExp(`${SESSION}/messages$`), () => ['message sent']],
	['POST', new RegExp(`${SESSION}/abort$`), () => [styleText('red', 'session aborted')]],
];

function tellPoll({ status, answer }: ServedRequest, seen: Set<string>): string[] {
	if (status === 404) return ['poll:      not there yet (new sessions take a second or two)'];
	const tool = answer?.latestTool ? `  (${answer.latestTool.title})` : '';
	const asked = (answer?.pendingInteractions ?? []).filter(({ id }: { id: string }) => !seen.has(id));
	for (const { id } of asked) seen.add(id);
	return [
		`poll:      ${answer?.status}${styleText('dim', tool)}`,
		...asked.map((interaction: any) => {
			const patterns = (interaction.patterns ?? []).join(', ');
			return styleText('yellow', `asked:     ${interaction.permission ?? interaction.type}  ${patterns}`);
		}),
	];
}

/** The lines for one request; none if it is not about sessions. */
export function tellRequest(request: ServedRequest, seen: Set<string>): string[] {
	const path = request.path.split('?')[0];
	const [, , tell] = tellers.find(([method, pattern]) => method === request.method && pattern.test(path)) ?? [];
	if (!tell) return [];
	if (request.status >= 400 && request.status !== 404) {
		return [styleText('red', `${request.method} answered ${request.status}: ${request.answer?.error?.message ?? ''}`)];
	}
	return tell(request, seen);
}

/** Prints what the service is asked until `until` settles; gives what that gives. */
export async function watch<T>(service: LocalService, until: Promise<T>, print: (line: string) => void): Promise<T> {
	const startedAt = Date.now();
	const seen = new Set<string>();
	let last = 0;
	const tellNew = async () => {
		for (const request of await service.requests(last)) {
			last = request.n;
			const seconds = ((Date.parse(request.at) - startedAt) / 1000).toFixed(1);
			for (const line of tellRequest(request, seen)) print(`${seconds.padStart(7)} s  ${line}`);
		}
	};

	let settled = false;
	const settle = () => (settled = true);
	until.then(settle, settle);
	while (!settled) {
		await tellNew();
		await Promise.race([sleep(300), until]);
	}
	await tellNew();
	return await until;
}
