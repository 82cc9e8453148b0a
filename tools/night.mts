// The night that `npm run rehearse` runs: what the agent does in each project, and what has to come of it.
import type { SessionView } from '../local-service/control/views.mts';
import type { Execution } from '../n8n-host/executions.mts';

interface Part {
	title: string;
	/** Script of the agent */
	prompt: string;
	ends: 'completed' | 'failed';
	/** Part of its line in the morning's message */
	line: string;
	/** The command that it asks for, and how nobody's answer or a person's decides that */
	asks?: { command: string; decisions: Array<'approve' | 'deny'> };
}

export const NIGHT: Part[] = [
	{
		title: 'asks to publish: you answer by the link',
		prompt: '[ask bash: git push] [say Published.]',
		ends: 'completed',
		line: 'Published.',
		asks: { command: 'git push', decisions: ['approve', 'deny'] },
	},
	{
		title: 'asks to delete files: nobody answers',
		prompt: '[ask bash: rm -rf tmp] [say The files are still there.]',
		ends: 'completed',
		line: 'Denied: bash rm -rf tmp',
		asks: { command: 'rm -rf tmp', decisions: ['deny'] },
	},
	{
		title: 'fails',
		prompt: '[work 10s] [fail Out of disk]',
		ends: 'failed',
		line: 'OPEN. ',
	},
	{
		title: 'works for a long time',
		prompt: '[work 20m] [say All links are fine.]',
		ends: 'completed',
		line: 'All links are fine.',
	},
];

/** What is left of a night */
export interface Night {
	execution: Pick<Execution, 'status' | 'error' | 'lastNodeExecuted' | 'runData'>;
	sessions: Array<Pick<SessionView, 'prompt' | 'status'>>;
	messages: string[];
}

const SESSION = 'Run Agent Session';
/** Nodes whose failure loses a message. A failed session continues on purpose. */
const MESSAGE_NODES = ['Ask in Slack', 'Post the summary'];

const outputsOf = ({ runData }: Night['execution'], node: string) =>
	(runData[node] ?? []).flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []));

export interface NightDecision {
	patterns: string[];
	decision: string;
	decidedBy: string;
	state: string;
}

/** Returns the decisions that the items of the night report. */
export const listDecisions = ({ execution }: Night): NightDecision[] =>
	outputsOf(execution, SESSION).flatMap(({ json }) =>
		json.approvalUrl === undefined ? ((json.decisions ?? []) as NightDecision[]) : [],
	);

function findMessageProblems({ execution, messages }: Night): string[] {
	const failed = MESSAGE_NODES.flatMap((node) =>
		outputsOf(execution, node)
			.filter(({ json }) => json.error !== undefined)
			.map(({ json }) => `The node "${node}" failed: ${json.error.message ?? json.error}`),
	);
	const morning = messages.filter((message) => message.startsWith('Good morning'));
	const missing = NIGHT.filter(({ line }) => !morning[0]?.includes(line));
	return [
		...failed,
		...(morning.length === 1 ? [] : [`The morning's message came ${morning.length} times.`]),
		...(morning.length === 1
			? missing.map(({ title }) => `The morning's message lacks the project that ${title}.`)
			: []),
	];
}

function findProjectProblems(night: Night, { title, prompt, ends, asks }: Part): string[] {
	const own = night.sessions.filter((session) => session.prompt === prompt);
	if (own.length !== 1) return [`The project that ${title}: ${own.length} sessions were started.`];
	const [{ status }] = own;
	const ended = status === ends ? [] : [`The project that ${title}: its session is ${status}.`];
	if (!asks) return ended;
	const decisions = listDecisions(night).filter(({ patterns }) => patterns[0] === asks.command);
	const isRight =
		decisions.length === 1 &&
		decisions[0].state === 'confirmed' &&
		(asks.decisions as string[]).includes(decisions[0].decision);
	const found = decisions.map(({ decision, state }) => `${decision}, ${state}`).join('; ');
	return isRight
		? ended
		: [...ended, `The decision about ${asks.command} is wrong: ${found || 'there is none'}.`];
}

/** Returns what is wrong with a night, in sentences. */
export function findNightProblems(night: Night): string[] {
	const { status, error, lastNodeExecuted } = night.execution;
	const failed =
		status === 'success'
			? []
			: [`The night ended with ${status} in the node "${lastNodeExecuted}": ${error?.message}`];
	return [
		...failed,
		...findMessageProblems(night),
		...NIGHT.flatMap((part) => findProjectProblems(night, part)),
	];
}
