import type { INodeProperties } from 'n8n-workflow';

import { projectLocator, prompt, sessionLocator } from '../shared/n8n/descriptions';

const decisions = [
	{ name: 'Approve', value: 'approve', description: 'Answer with the option that allows it' },
	{ name: 'Ask a Person', value: 'ask', description: 'Send the item to Needs Approval' },
	{ name: 'Deny', value: 'deny', description: 'Answer with the option that refuses it' },
];

const target: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Start a Session',
				value: 'start',
				description: 'Start a new agent session and wait for it',
				action: 'Start agent session and wait',
			},
			{
				name: 'Continue a Session',
				value: 'continue',
				description: 'Wait for a session that exists already, such as one that needed approval',
				action: 'Continue agent session and wait',
			},
			{
				name: 'Try Rules',
				value: 'tryRules',
				description:
					'See what a permission policy would decide, without a session and without a credential',
				action: 'Try permission rules',
			},
		],
		default: 'start',
	},
	{
		...projectLocator,
		description: 'The project that the agent works in',
		displayOptions: { show: { operation: ['start'] } },
	},
	{ ...prompt, displayOptions: { show: { operation: ['start'] } } },
	{
		...sessionLocator,
		description: 'The session to wait for, such as the sessionId that an earlier node returned',
		displayOptions: { show: { operation: ['continue'] } },
	},
	{
		displayName: 'Requests',
		name: 'requests',
		type: 'json',
		default: '',
		required: true,
		placeholder: 'e.g. [{"permission": "bash", "patterns": ["git push"]}]',
		description:
			'The requests to try the policy on: drag pendingInteractions or decisions of an earlier item here',
		displayOptions: { show: { operation: ['tryRules'] } },
	},
	{
		displayName: 'Wait',
		name: 'wait',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'In Memory',
				value: 'memory',
				description: 'For sessions of minutes: their end is seen within seconds',
			},
			{
				name: 'In the Database',
				value: 'database',
				description:
					'For sessions of hours, and whatever must outlive a restart of n8n: looked at about once a minute',
			},
		],
		default: 'memory',
		description: 'Where n8n keeps the execution while the session runs',
		displayOptions: { show: { operation: ['start', 'continue'] } },
	},
	{
		displayName:
			"Connect the output 'Waiting' of this node with its own input, and with nothing else. The workflow needs no timeout: use 'Give Up After'.",
		name: 'wayBackNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { operation: ['start', 'continue'], wait: ['database'] } },
	},
	{
		displayName: 'Message',
		name: 'message',
		type: 'string',
		typeOptions: { rows: 2 },
		default: '',
		placeholder: 'e.g. Now do the same for the blog',
		description:
			'Sent to the agent before waiting; it starts a new turn. Leave it empty to only wait.',
		displayOptions: { show: { operation: ['continue'] } },
	},
];

const policies = [
	{ name: 'Approve All', value: 'approve', description: 'Allow whatever the agent asks for' },
	{
		name: 'Ask a Person',
		value: 'ask',
		description: 'Send the item to Needs Approval with the open requests',
	},
	{
		name: 'Decide by Rules',
		value: 'rules',
		description: 'Let the rules below decide each request',
	},
	{
		name: 'Deny All',
		value: 'deny',
		description: 'Refuse whatever the agent asks for; it goes on without',
	},
];

const answerPolicy = {
	name: 'Apply an Answer',
	value: 'answer',
	description: 'Apply what a person answered in Slack, mail, chat or a form',
};

const permissionPolicy = {
	displayName: 'Permission Policy',
	name: 'permissionPolicy',
	type: 'options',
	options: policies,
	default: 'ask',
	description: 'How the permissions that the agent asks for are decided',
} satisfies Partial<INodeProperties>;

const showOnlyForAnswer = { operation: ['continue'], permissionPolicy: ['answer'] };

const applyAnswer: INodeProperties[] = [
	{
		displayName: 'Answer',
		name: 'answer',
		type: 'string',
		default: '={{ $json }}',
		required: true,
		placeholder: 'e.g. approve',
		description:
			'What the person answered: the whole item of Send and Wait for Response, a Form or the Chat node, or a word such as approve or deny. Without an answer the requests stay undecided.',
		displayOptions: { show: showOnlyForAnswer },
	},
	{
		displayName: 'Applies To',
		name: 'answerAppliesTo',
		type: 'options',
		options: [
			{
				name: 'Everything From Now On',
				value: 'session',
				description: 'Answer whatever the session asks for until it ends',
			},
			{
				name: 'What Was Asked',
				value: 'asked',
				description:
					'Answer only the requests that the person has seen; anything else is asked again',
			},
		],
		default: 'asked',
		description: 'Which requests the answer is for',
		displayOptions: { show: showOnlyForAnswer },
	},
	{
		displayName: 'Asked',
		name: 'askedInteractions',
		type: 'json',
		default: '',
		required: true,
		description:
			'The requests that the person has seen: drag pendingInteractions of the Needs Approval item here',
		displayOptions: { show: { ...showOnlyForAnswer, answerAppliesTo: ['asked'] } },
	},
];

const permissions: INodeProperties[] = [
	// Two of the same name: only a session that exists can have been asked about.
	{
		...permissionPolicy,
		displayOptions: { show: { operation: ['start', 'tryRules'] } },
	},
	{
		...permissionPolicy,
		options: [...policies.slice(0, 1), answerPolicy, ...policies.slice(1)],
		displayOptions: { show: { operation: ['continue'] } },
	},
	...applyAnswer,
	{
		displayName: 'Rules',
		name: 'permissionRules',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Rule',
		default: {},
		description:
			'The first rule that matches the permission and everything it is asked for decides',
		displayOptions: { show: { permissionPolicy: ['rules'] } },
		options: [
			{
				displayName: 'Rule',
				name: 'rule',
				values: [
					{
						displayName: 'Permission',
						name: 'permission',
						type: 'string',
						default: '',
						placeholder: 'e.g. bash',
						description: 'The kind of permission. * stands for any.',
					},
					{
						displayName: 'Pattern',
						name: 'pattern',
						type: 'string',
						default: '',
						placeholder: 'e.g. git status, npm run build',
						description:
							'What it is asked for, such as a command or a path. Separate several with commas. * stands for any characters of one command and one folder, and alone for everything.',
					},
					{
						displayName: 'Decision',
						name: 'decision',
						type: 'options',
						options: [{ name: '- Choose -', value: '' }, ...decisions],
						default: '',
						description: 'What to do with a request that matches',
					},
				],
			},
		],
	},
	{
		displayName: 'When No Rule Matches',
		name: 'defaultDecision',
		type: 'options',
		options: decisions,
		default: 'ask',
		description: 'What to do with a request that no rule speaks about',
		displayOptions: { show: { permissionPolicy: ['rules'] } },
	},
];

const inDatabase = { show: { '/wait': ['database'] } };

const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Abort on Stop',
			name: 'abortOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether stopping the execution, or its timeout, also aborts the agent session',
		},
		{
			displayName: 'Approve Values',
			name: 'approveValues',
			type: 'string',
			default: '',
			placeholder: 'e.g. grant_once, go',
			description:
				'Values of options that approve, separated by commas, for a service that names them in words of its own. They win over what is understood without them.',
		},
		{
			displayName: 'Approve With',
			name: 'approveWith',
			type: 'options',
			options: [
				{
					name: 'Always',
					value: 'always',
					description: 'Prefer the option that allows it permanently',
				},
				{ name: 'Once', value: 'once', description: 'Prefer the option that allows it this time' },
			],
			default: 'once',
			description: 'Which approval to prefer where the agent offers several',
		},
		{
			displayName: 'Body',
			name: 'body',
			type: 'json',
			default: '{}',
			description: 'More fields for the request that starts the session, as a JSON object',
		},
		{
			displayName: 'Decision Body',
			name: 'decisionBody',
			type: 'json',
			default: '{}',
			description:
				'More fields for the request that answers a permission request, as a JSON object',
		},
		{
			displayName: 'Deny Values',
			name: 'denyValues',
			type: 'string',
			default: '',
			placeholder: 'e.g. refuse, halt',
			description:
				'Values of options that deny, separated by commas. They win over what is understood without them.',
		},
		{
			displayName: 'Give Up After (Hours)',
			name: 'giveUpAfter',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 24,
			description: 'How long to wait for the session to end',
			displayOptions: inDatabase,
		},
		{
			displayName: 'If Nobody Answers',
			name: 'ifNobodyAnswers',
			type: 'options',
			options: [
				{
					name: 'Abort the Session',
					value: 'abort',
					description: 'Abort the session and raise an error',
				},
				{
					name: 'Deny',
					value: 'deny',
					description: 'Refuse what was asked; the agent goes on without',
				},
				{ name: 'Wait', value: 'wait', description: "Wait on, until 'Give Up After'" },
			],
			default: 'wait',
			description:
				'What to do when nobody has decided a request in time. For that, what follows Needs Approval has to lead back into this node.',
			displayOptions: inDatabase,
		},
		{
			displayName: 'If Nobody Answers After (Hours)',
			name: 'unansweredAfter',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 24,
			description: 'How long people have, counted from when a request was first seen',
			displayOptions: inDatabase,
		},
		{
			displayName: 'Max Concurrent Sessions',
			name: 'maxConcurrentSessions',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 5,
			description: 'How many items are worked on at the same time',
		},
		{
			displayName: 'Max Poll Interval (Seconds)',
			name: 'maxPollInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10,
			description:
				'Longest time between two polls of a session; the interval grows with the age of the session',
		},
		{
			displayName: 'Max Wait (Minutes)',
			name: 'maxWait',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 30,
			description: 'How long to wait for the session to end, In Memory',
			hint: "The execution stays in memory while it waits. For sessions of hours choose 'In the Database' in 'Wait'.",
		},
		{
			displayName: 'On Give Up',
			name: 'onGiveUp',
			type: 'options',
			options: [
				{
					name: 'Abort the Session',
					value: 'abort',
					description: 'Abort the session and raise an error',
				},
				{
					name: 'Raise an Error',
					value: 'error',
					description: 'Let the session go on and raise an error that names it',
				},
			],
			default: 'abort',
			description: "What to do when 'Give Up After' is over",
			displayOptions: inDatabase,
		},
		{
			displayName: 'On Max Wait',
			name: 'onMaxWait',
			type: 'options',
			options: [
				{
					name: 'Abort the Session',
					value: 'abort',
					description: 'Abort the session and raise an error',
				},
				{
					name: 'Route to Still Running',
					value: 'route',
					description: 'Let the session go on and send the item to Still Running',
				},
			],
			default: 'route',
			description: 'What to do when the session has not ended by then',
		},
		{
			displayName: 'Poll Interval (Seconds)',
			name: 'pollInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 5,
			description:
				'Shortest time between two polls of a session. The service recommends 5 to 10 seconds.',
		},
	],
};

/** The panel of the node, from top to bottom. */
export const properties: INodeProperties[] = [...target, ...permissions, options];
