// Prints what the local mock service is asked while a workflow runs, a line for each thing that happens.
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { LocalService, ServedRequest } from './demoService.mts';

/** The options of each interaction that was printed, by its id */
type Asked = Map<string, Array<{ value: string; label: string }>>;

type Teller = (request: ServedRequest, asked: Asked) => string[];

const SESSION = '/agent/sessions/[^/]+';

/** The lines for each kind of request */
const tellers: Array<[method: string, path: RegExp, tell: Teller]> = [
	[
		'POST',
		/\/agent\/sessions$/,
		({ answer }) => [`session started: ${answer?.sessionId ?? answer?.id}`],
	],
	['GET', new RegExp(`${SESSION}$`), tellPoll],
	['POST', new RegExp(`${SESSION}/interactions/[^/]+/resolve$`), tellDecision],
	['POST', new RegExp(`${SESSION}/messages$`), () => ['message sent']],
	['POST', new RegExp(`${SESSION}/abort$`), () => [styleText('red', 'session aborted')]],
];

function tellDecision({ path, body }: ServedRequest, asked: Asked): string[] {
	const options = asked.get(path.split('/').at(-2)!);
	const value = body?.response;
	return [
		styleText(
			'green',
			`decided:   ${options?.find((option) => option.value === value)?.label ?? value}`,
		),
	];
}

function tellPoll({ status, answer }: ServedRequest, asked: Asked): string[] {
	if (status === 404) return ['poll:      not there yet (new sessions take a second or two)'];
	const tool = answer?.latestTool ? `  (${answer.latestTool.title})` : '';
	const news = (answer?.pendingInteractions ?? []).filter(
		({ id }: { id: string }) => !asked.has(id),
	);
	for (const { id, response } of news) asked.set(id, response?.options ?? []);
	return [
		`poll:      ${answer?.status}${styleText('dim', tool)}`,
		...news.map((interaction: any) => {
			const patterns = (interaction.patterns ?? []).join(', ');
			return styleText(
				'yellow',
				`asked:     ${interaction.permission ?? interaction.type}  ${patterns}`,
			);
		}),
	];
}

/** The lines for one request; none if it is not about sessions. */
function tellRequest(request: ServedRequest, asked: Asked): string[] {
	const path = request.path.split('?')[0];
	const [, , tell] =
		tellers.find(([method, pattern]) => method === request.method && pattern.test(path)) ?? [];
	if (!tell) return [];
	if (request.status >= 400 && request.status !== 404) {
		return [
			styleText(
				'red',
				`${request.method} answered ${request.status}: ${request.answer?.error?.message ?? ''}`,
			),
		];
	}
	return tell({ ...request, path }, asked);
}

/** Prints what the service is asked until `until` settles, and returns its result. */
export async function watch<T>(
	service: LocalService,
	until: Promise<T>,
	print: (line: string) => void,
): Promise<T> {
	const startedAt = Date.now();
	const asked: Asked = new Map();
	let last = 0;
	const tellNew = async () => {
		for (const request of await service.requests(last)) {
			last = request.n;
			const seconds = ((Date.parse(request.at) - startedAt) / 1000).toFixed(1);
			for (const line of tellRequest(request, asked)) print(`${seconds.padStart(7)} s  ${line}`);
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
