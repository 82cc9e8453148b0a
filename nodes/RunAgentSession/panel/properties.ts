import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import {
	choice,
	collection,
	field,
	projectLocator,
	prompt,
	sessionLocator,
	simplify,
	type Choices,
} from '../../shared/n8n/fields';

// The panel of the node.

const ABORT_CHOICE: Choices = {
	abort: ['Abort the Session', 'Abort the session and raise an error'],
};

const maxWait: INodeProperties[] = [
	field('Max Wait (Minutes)', 'maxWait', 'number', 30, {
		typeOptions: { minValue: 0 },
		description: 'How long to wait for the session to end',
		hint: "For sessions of hours choose 'In the Database' in 'Wait'",
	}),
	choice('On Max Wait', 'onMaxWait', 'route', 'What to do when the session has not ended by then', {
		...ABORT_CHOICE,
		route: ['Route to Still Running', 'Let the session go on and send the item to Still Running'],
	}),
];

const policyField = (more: Choices): INodeProperties =>
	choice(
		'Permission Policy',
		'permissionPolicy',
		'ask',
		'How the permissions that the agent asks for are decided',
		{
			approve: ['Approve All', 'Allow whatever the agent asks for'],
			...more,
			ask: ['Ask a Person', 'Send the item to Needs Approval with the open requests'],
			rules: ['Decide by Rules', 'Let the rules below decide each request'],
			deny: ['Deny All', 'Refuse whatever the agent asks for; it goes on without'],
		},
	);

const decisionChoices: Choices = {
	approve: ['Approve', 'Answer with the option that allows it'],
	ask: ['Ask a Person', 'Send the item to Needs Approval'],
	deny: ['Deny', 'Answer with the option that refuses it'],
};

/** Fields that are shown where they count, and nowhere else: of the others n8n hands on nothing. */
const showFor = (
	show: NonNullable<IDisplayOptions['show']>,
	...fields: INodeProperties[]
): INodeProperties[] =>
	fields.map((field) => ({
		...field,
		displayOptions: { show: { ...show, ...field.displayOptions?.show } },
	}));

const SESSION_OPERATIONS = ['start', 'continue'];
const DECIDING_POLICIES = ['approve', 'deny', 'rules', 'answer'];

export const properties: INodeProperties[] = [
	{
		...choice('Operation', 'operation', 'start', 'What to do', {
			start: [
				'Start a Session',
				'Start a new agent session and wait for it',
				'Start agent session and wait',
			],
			continue: [
				'Continue a Session',
				'Wait for a session that exists already, such as one that needed approval',
				'Continue agent session and wait',
			],
			tryRules: [
				'Try Rules',
				'See what a permission policy would decide, without a session and without a credential',
				'Try permission rules',
			],
		}),
		noDataExpression: true,
	},
	...showFor(
		{ operation: ['start'] },
		{ ...projectLocator, description: 'The project that the agent works in' },
		prompt,
	),
	...showFor(
		{ operation: ['continue'] },
		{
			...sessionLocator,
			description: 'The session to wait for, such as the sessionId that an earlier node returned',
		},
		field('Message', 'message', 'string', '', {
			description:
				'Sent to the agent before waiting; it starts a new turn. Leave it empty to only wait.',
			typeOptions: { rows: 2 },
			placeholder: 'e.g. Now do the same for the blog',
		}),
	),
	...showFor(
		{ operation: ['tryRules'] },
		field('Requests', 'requests', 'json', '', {
			description:
				'The requests to try the policy on: drag pendingInteractions or decisions of an earlier item here',
			required: true,
			placeholder: 'e.g. [{"permission": "bash", "patterns": ["git push"]}]',
		}),
	),
	...showFor(
		{ operation: SESSION_OPERATIONS },
		{
			...choice('Wait', 'wait', 'memory', 'Where n8n keeps the execution while the session runs', {
				memory: ['In Memory', 'For sessions of minutes: their end is seen within seconds'],
				database: [
					'In the Database',
					'For sessions of hours, and whatever must outlive a restart of n8n: looked at about once a minute',
				],
			}),
			noDataExpression: true,
		},
	),
	...showFor({ operation: SESSION_OPERATIONS, wait: ['memory'] }, ...maxWait),
	...showFor(
		{ operation: SESSION_OPERATIONS, wait: ['database'] },
		{
			displayName:
				"Connect this node's 'Still Running' output to its own input, and to nothing else. Don't set a workflow timeout: use 'Give Up After' instead. To test, use 'Execute workflow', not 'Execute step'.",
			name: 'wayBackNotice',
			type: 'notice',
			default: '',
		},
	),
	// Two of the same name: only a session that exists can have been asked about.
	...showFor({ operation: ['start', 'tryRules'] }, policyField({})),
	...showFor(
		{ operation: ['continue'] },
		policyField({
			answer: ['Apply an Answer', 'Apply what a person answered in Slack, mail, chat or a form'],
		}),
	),
	...showFor(
		{ operation: ['continue'], permissionPolicy: ['answer'] },
		field('Answer', 'answer', 'string', '={{ $json }}', {
			description:
				'What the person answered: the whole item of Send and Wait for Response, a Form or the Chat node, or a word such as approve or deny. Without an answer the requests stay undecided.',
			required: true,
			placeholder: 'e.g. approve',
		}),
		choice('Applies To', 'answerAppliesTo', 'asked', 'Which requests the answer is for', {
			session: ['Everything From Now On', 'Answer whatever the session asks for until it ends'],
			asked: [
				'What Was Asked',
				'Answer only the requests that the person has seen; anything else is asked again',
			],
		}),
		field('Asked', 'askedInteractions', 'json', '', {
			description:
				'The requests that the person has seen: drag pendingInteractions of the Needs Approval item here',
			required: true,
			displayOptions: { show: { answerAppliesTo: ['asked'] } },
		}),
	),
	...showFor(
		{ permissionPolicy: ['rules'] },
		{
			displayName: 'Rules',
			name: 'permissionRules',
			type: 'fixedCollection',
			default: {},
			typeOptions: { multipleValues: true, sortable: true },
			placeholder: 'Add Rule',
			description:
				'The first rule that matches the permission and everything it is asked for decides',
			options: [
				{
					displayName: 'Rule',
					name: 'rule',
					values: [
						field('Permission', 'permission', 'string', '', {
							description: 'The kind of permission. * stands for any.',
							placeholder: 'e.g. bash',
						}),
						field('Pattern', 'pattern', 'string', '', {
							description:
								'What it is asked for, such as a command or a path. Separate several with commas. * stands for any characters of one command and one folder, and alone for everything.',
							placeholder: 'e.g. git status, npm run build',
						}),
						choice('Decision', 'decision', '', 'What to do with a request that matches', {
							'': ['- Choose -'],
							...decisionChoices,
						}),
					],
				},
			],
		},
		choice(
			'When No Rule Matches',
			'defaultDecision',
			'ask',
			'What to do with a request that no rule speaks about',
			decisionChoices,
		),
	),
	...showFor(
		{ operation: SESSION_OPERATIONS },
		{
			...simplify,
			description:
				"Whether items that leave by 'Needs Approval' hold only what a person needs to decide, and not how far the session is as well",
		},
	),
	collection(
		'Options',
		'options',
		'Add Option',
		[
			...showFor(
				{ '/permissionPolicy': DECIDING_POLICIES },
				choice(
					'Approve With',
					'approveWith',
					'once',
					'Which approval to prefer where the agent offers several',
					{
						always: ['Always', 'Prefer the option that allows it permanently'],
						once: ['Once', 'Prefer the option that allows it this time'],
					},
				),
				field('Approve Values', 'approveValues', 'string', '', {
					description:
						'Values of options that approve, separated by commas, for a service that names them in words of its own. They win over what is understood without them.',
					placeholder: 'e.g. grant_once, go',
				}),
			),
			...showFor(
				{ '/operation': ['start'] },
				field('Body', 'body', 'json', '{}', {
					description: 'More fields for the request that starts the session',
				}),
			),
			// If Nobody Answers may deny, whatever the policy.
			field('Deny Values', 'denyValues', 'string', '', {
				description:
					'Values of options that deny, separated by commas. They win over what is understood without them.',
				placeholder: 'e.g. refuse, halt',
			}),
			...showFor(
				{ '/operation': SESSION_OPERATIONS },
				field('Decision Body', 'decisionBody', 'json', '{}', {
					description: 'More fields for the request that answers a permission request',
				}),
				field('Abort on Stop', 'abortOnStop', 'boolean', true, {
					description:
						'Whether stopping the execution, or its timeout, also aborts the agent session',
				}),
				field('Max Concurrent Sessions', 'maxConcurrentSessions', 'number', 5, {
					typeOptions: { minValue: 1 },
					description: 'How many items are worked on at the same time',
				}),
			),
			...showFor(
				{ '/operation': SESSION_OPERATIONS, '/wait': ['memory'] },
				field('Max Poll Interval (Seconds)', 'maxPollInterval', 'number', 10, {
					typeOptions: { minValue: 1 },
					description:
						'Longest time between two polls of a session; the interval grows with the age of the session',
				}),
				field('Poll Interval (Seconds)', 'pollInterval', 'number', 5, {
					typeOptions: { minValue: 1 },
					description:
						'Shortest time between two polls of a session. The service recommends 5 to 10 seconds.',
				}),
			),
			...showFor(
				{ '/operation': SESSION_OPERATIONS, '/wait': ['database'] },
				field('Give Up After (Hours)', 'giveUpAfter', 'number', 24, {
					typeOptions: { minValue: 0 },
					description: 'How long to wait for the session to end',
				}),
				choice('On Give Up', 'onGiveUp', 'abort', "What to do when 'Give Up After' is over", {
					...ABORT_CHOICE,
					error: ['Raise an Error', 'Let the session go on and raise an error that names it'],
				}),
				choice(
					'If Nobody Answers',
					'ifNobodyAnswers',
					'wait',
					'What to do when nobody has decided a request in time. For that, what follows Needs Approval has to lead back into this node.',
					{
						...ABORT_CHOICE,
						deny: ['Deny', 'Refuse what was asked; the agent goes on without'],
						wait: ['Wait', "Wait on, until 'Give Up After'"],
					},
				),
				field('If Nobody Answers After (Hours)', 'unansweredAfter', 'number', 24, {
					typeOptions: { minValue: 0 },
					description: 'How long people have, counted from when a request was first seen',
				}),
				field('Send Comments to the Agent', 'sendComments', 'boolean', false, {
					description:
						'Whether what a person writes on the page of approvalUrl goes to the agent as a message, once everything that was asked is decided',
				}),
			),
			// They stood here first: a workflow that has them here keeps them, and no other is offered them.
			...maxWait.flatMap((field) => showFor({ [field.name]: [{ _cnd: { exists: true } }] }, field)),
		].sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
	),
];
