import {
	projectLocator,
	prompt,
	sessionLocator,
	withoutPatterns,
} from '../../shared/n8n/commonFields';
import {
	choice,
	field,
	numberField,
	showFor,
	textField,
	toggle,
	type Field,
} from '../../shared/n8n/fields';
import { requireString } from '../../shared/validation';

/** The operations that wait for a session */
export const SESSION_OPERATIONS = ['start', 'continue'];

export const ABORT_CHOICE: [string, string] = [
	'Abort the Session',
	'Abort the session and raise an error',
];

export const operation = choice(
	'Operation',
	'operation',
	'start',
	"Run a session, apply an approver's answer to one, or try your rules",
	{
		start: [
			'Start a Session',
			'Start a new agent session and wait for it',
			'Start agent session and wait',
		],
		continue: [
			'Continue a Session',
			'Wait for an existing session, with an optional message first',
			'Continue agent session and wait',
		],
		applyAnswer: [
			'Apply an Answer',
			"Send an approver's answer from Slack, email, a form or chat to a session",
			'Apply an answer to an agent session',
		],
		tryRules: [
			'Try Rules',
			'Show what a permission policy would decide. Sends no decision.',
			'Try permission rules',
		],
	},
	{ noDataExpression: true },
);

export const sessionProject: Field<string> = {
	...withoutPatterns(projectLocator),
	description: 'The project that the agent works in',
};

export { prompt };

export const session: Field<string> = {
	...withoutPatterns(sessionLocator),
	description: 'The session to wait for, such as the sessionId of an earlier node',
};

export const message = textField<string | undefined>('Message', 'message', {
	description: 'A message to the agent, which starts a new turn. Leave it empty to only wait.',
	typeOptions: { rows: 2 },
	placeholder: 'e.g. Now do the same for the blog',
	check(label, value) {
		const text = requireString(label, value ?? '');
		return text.trim() === '' ? undefined : text;
	},
});

export const requestsFrom = choice(
	'Requests From',
	'requestsFrom',
	'session',
	'Where the requests to try come from',
	{
		session: ['A Session', 'Read the pending requests of a session'],
		json: ['JSON', 'Use requests or decisions of an earlier item'],
	},
	{ noDataExpression: true },
);

export const triedSession: Field<string> = {
	...session,
	description: 'A session with pending requests. The node only reads it.',
};

export const requests = field('Requests', 'requests', 'json', '={{ $json.pendingInteractions }}', {
	description: 'The requests to try: pendingInteractions or decisions of an earlier item',
	required: true,
	placeholder: 'e.g. [{"permission": "bash", "patterns": ["git push"]}]',
});

export const hasOutputParser = toggle(
	'Require Specific Output Format',
	'hasOutputParser',
	false,
	"Whether to parse the agent's answer into fields with an output parser",
	{ noDataExpression: true },
);

const outputParserNotice = field(
	"Connect an <a data-action='openSelectiveNodeCreator' data-action-parameter-connectiontype='ai_outputParser'>output parser</a> on the canvas to specify the output format you require",
	'outputParserNotice',
	'notice',
	'',
	{},
);

/** n8n gives a tool no input for a sub-node. */
const NOT_AS_TOOL = { operation: SESSION_OPERATIONS, '@tool': [false] };

export const whileWaiting = choice(
	'While Waiting',
	'whileWaiting',
	'pause',
	'What the execution does while the session runs',
	{
		pause: ['Pause the Execution', 'Survives a restart of n8n. Checks every 1 to 10 minutes.'],
		keepRunning: [
			'Keep the Execution Running',
			'Checks every 5 to 10 seconds. Lost if n8n restarts.',
		],
	},
	{ noDataExpression: true },
);

const maxWaitWith = (minutes: number, description: string): Field<number> =>
	numberField('Max Wait (Minutes)', 'maxWait', minutes, 0, description, { isPolicy: true });

export const maxWaitPaused = maxWaitWith(
	1440,
	'How long to wait for the session. 0 means no limit.',
);
export const maxWaitRunning = maxWaitWith(
	30,
	'How long to wait for the session. 0 means one check.',
);

export const onMaxWait = choice(
	'On Max Wait',
	'onMaxWait',
	'abort',
	"What to do when the session hasn't ended by then",
	{
		abort: ABORT_CHOICE,
		letRun: ['Let the Session Run', 'Let the session run and raise an error that names it'],
	},
);

/** As a tool of an AI agent, the node never pauses. */
const AS_TOOL = { '@tool': [true] };

export const waitFields: Field[] = showFor<Field>(
	{ operation: SESSION_OPERATIONS },
	...showFor({ '@tool': [false] }, whileWaiting),
	...showFor({ '@tool': [false], whileWaiting: ['pause'] }, maxWaitPaused),
	...showFor({ '@tool': [false], whileWaiting: ['keepRunning'] }, maxWaitRunning),
	...showFor(AS_TOOL, maxWaitRunning),
	onMaxWait,
);

export const sessionFields: Field[] = [
	operation,
	...showFor<Field>({ operation: ['start'] }, sessionProject, prompt),
	...showFor<Field>({ operation: ['continue', 'applyAnswer'] }, session),
	...showFor<Field>({ operation: ['continue'] }, message),
	...showFor({ operation: ['tryRules'] }, requestsFrom),
	...showFor<Field>({ operation: ['tryRules'], requestsFrom: ['session'] }, triedSession),
	...showFor({ operation: ['tryRules'], requestsFrom: ['json'] }, requests),
	...showFor<Field>(NOT_AS_TOOL, hasOutputParser),
	...showFor({ ...NOT_AS_TOOL, hasOutputParser: [true] }, outputParserNotice),
];
