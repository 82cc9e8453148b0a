// The agent's default script and its words.
import {
	parseDirectives,
	usualOptions,
	type PermissionRequest,
	type Script,
	type Step,
} from './directives.mts';
import type { PermissionInteraction, SessionLog } from './model.mts';
import type { Turn } from './playback.mts';
import { findScript } from './scripts.mts';

const usualPrompt: Step[] = [
	{ kind: 'work', ms: 4000 },
	{
		kind: 'ask',
		requests: [{ permission: 'bash', patterns: ['npm run build'], options: usualOptions }],
	},
	{ kind: 'work', ms: 4000 },
];
const usualMessage: Step[] = [{ kind: 'work', ms: 2000 }];

const orUsual = (script: Script, usual: Step[]): Script =>
	script.steps.length > 0 ? script : { ...script, steps: usual };

/** The script of a new session: the directives of its prompt, those for a known prompt, or the usual one. */
export function scriptOfPrompt(prompt: string): Script {
	const script = parseDirectives(prompt);
	const known = script.steps.length === 0 ? findScript(prompt) : undefined;
	return known === undefined
		? orUsual(script, usualPrompt)
		: { ...parseDirectives(known), text: script.text };
}
/** The script of a later message: its own directives, or those that the turn before has for it. */
export function scriptOfMessage(text: string, log?: Pick<SessionLog, 'script' | 'events'>): Script {
	const script = parseDirectives(text);
	const latest = log?.events.findLast((event) => event.kind === 'message')?.script ?? log?.script;
	const [steps, ...next] = latest?.next ?? [];
	return orUsual(
		script.steps.length === 0 && steps ? { ...script, steps, next } : script,
		usualMessage,
	);
}

/** The tools that the agent pretends to use while it works, one after another. */
export const tools = [
	{ name: 'read', title: 'Reading site.config.json' },
	{ name: 'grep', title: 'Searching pages for broken links' },
	{ name: 'edit', title: 'Editing pages/index.html' },
	{ name: 'bash', title: 'Running npm test' },
	{ name: 'write', title: 'Writing content/summary.md' },
	{ name: 'glob', title: 'Listing images' },
	{ name: 'webfetch', title: 'Fetching the live homepage' },
];

const quote = (text: string) => `“${text.length > 200 ? `${text.slice(0, 199)}…` : text}”`;

/** `bash (git status, git push)` */
const nameRequest = ({
	permission,
	patterns,
}: Pick<PermissionRequest, 'permission' | 'patterns'>): string =>
	patterns.length > 0 ? `${permission} (${patterns.join(', ')})` : permission;

/** `bash (git push), because “use a branch”` */
export const nameDenial = (request: PermissionInteraction): string =>
	request.reason === undefined
		? nameRequest(request)
		: `${nameRequest(request)}, because ${quote(request.reason)}`;

/** The last message of a turn. */
export function finalMessage(turn: Turn): string {
	return [
		turn.said ?? (turn.text === '' ? 'Done.' : `Done: ${quote(turn.text)}.`),
		...(turn.said === undefined
			? turn.replies.map((reply) => `You answered ${quote(reply)}.`)
			: []),
		...(turn.denied.length > 0
			? [`I carried on without what was not permitted: ${turn.denied.join('; ')}.`]
			: []),
	].join(' ');
}

const denials = new Set([
	'reject',
	'rejected',
	'deny',
	'denied',
	'decline',
	'refuse',
	'disallow',
	'never',
	'no',
	'cancel',
]);

/** Returns whether an option's value denies, judged by its first word: `reject`, `no_thanks`. */
export const isDenial = (value: string): boolean =>
	denials.has(value.toLowerCase().split(/[^a-z]+/)[0]);
