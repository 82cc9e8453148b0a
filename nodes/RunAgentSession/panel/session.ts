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

export const SESSION_OPERATIONS = ['start', 'continue'];

export const ABORT_CHOICE: [string, string] = [
	'Abort the Session',
	'Abort the session and raise an error',
];

export const operation = choice(
	'Operation',
	'operation',
	'start',
	'What to do',
	{
		start: [
			'Start a Session',
			'Start a new agent session and wait for it',
			'Start agent session and wait',
		],
		continue: [
			'Continue a Session',
			'Wait for an existing session, such as one that needed approval',
			'Continue agent session and wait',
		],
		tryRules: [
			'Try Rules',
			'Show the decisions of a permission policy. Needs no session and no credential.',
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

export const requests = field('Requests', 'requests', 'json', '', {
	description: 'The requests to try: drag pendingInteractions or decisions of an earlier item here',
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

export const wait = choice(
	'Wait',
	'wait',
	'memory',
	'How to wait for the session to end',
	{
		memory: ['In Memory', 'Keep the execution running. Best for sessions that take minutes.'],
		database: [
			'In the Database',
			'Pause the execution while the session runs. Survives a restart of n8n. Checks every 1 to 10 minutes.',
		],
	},
	{ noDataExpression: true },
);

export const maxWait = numberField(
	'Max Wait (Minutes)',
	'maxWait',
	30,
	0,
	'How long to wait for the session to end',
	{ hint: "For sessions that take hours, set 'Wait' to 'In the Database'" },
);

export const onMaxWait = choice(
	'On Max Wait',
	'onMaxWait',
	'route',
	"What to do when the session hasn't ended by then",
	{
		abort: ABORT_CHOICE,
		route: ['Route to Still Running', 'Let the session run and send the item to Still Running'],
	},
);

const selfConnectionNotice = field(
	"Connect this node's 'Still Running' output to its own input, and to nothing else. Don't set a workflow timeout: use 'Give Up After' instead. To test, use 'Execute workflow', not 'Execute step'.",
	'wayBackNotice',
	'notice',
	'',
	{},
);

export const sessionFields: Field[] = [
	operation,
	...showFor<Field>({ operation: ['start'] }, sessionProject, prompt),
	...showFor<Field>({ operation: ['continue'] }, session, message),
	...showFor({ operation: ['tryRules'] }, requests),
	...showFor<Field>(NOT_AS_TOOL, hasOutputParser),
	...showFor({ ...NOT_AS_TOOL, hasOutputParser: [true] }, outputParserNotice),
	...showFor({ operation: SESSION_OPERATIONS }, wait),
	...showFor<Field>({ operation: SESSION_OPERATIONS, wait: ['memory'] }, maxWait, onMaxWait),
	...showFor({ operation: SESSION_OPERATIONS, wait: ['database'] }, selfConnectionNotice),
];
