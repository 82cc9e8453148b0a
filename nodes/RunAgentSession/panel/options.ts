import {
	choice,
	collection,
	countField,
	jsonField,
	numberField,
	showFor,
	toggle,
	type Field,
} from '../../shared/n8n/fields';
import { policyOptions } from './policy';
import { ABORT_CHOICE, SESSION_OPERATIONS } from './session';
import { teamOptions } from './team';

export const body = jsonField(
	'Body',
	'body',
	'More fields for the request that starts the session, as a JSON object',
);

export const decisionBody = jsonField(
	'Decision Body',
	'decisionBody',
	'More fields for the request that sends a decision, as a JSON object',
	{ isPolicy: true },
);

export const abortOnStop = toggle(
	'Abort on Stop',
	'abortOnStop',
	true,
	'Whether to also abort the agent session when the execution is stopped or times out',
);

export const maxConcurrentSessions = countField(
	'Max Concurrent Sessions',
	'maxConcurrentSessions',
	5,
	'Maximum number of sessions to work on in parallel',
);

export const pollInterval = numberField(
	'Poll Interval (Seconds)',
	'pollInterval',
	5,
	1,
	'Shortest time between two polls of a session. The service recommends 5 to 10 seconds.',
);

export const maxPollInterval = numberField(
	'Max Poll Interval (Seconds)',
	'maxPollInterval',
	10,
	1,
	'Longest time between two polls of a session. The interval grows with the age of the session.',
);

export const giveUpAfter = numberField(
	'Give Up After (Hours)',
	'giveUpAfter',
	24,
	0,
	'How long to wait for the session to end',
);

export const onGiveUp = choice(
	'On Give Up',
	'onGiveUp',
	'abort',
	"What to do when the time of 'Give Up After' is over",
	{
		abort: ABORT_CHOICE,
		error: ['Raise an Error', 'Let the session run and raise an error that names it'],
	},
);

export const ifNobodyAnswers = choice(
	'If Nobody Answers',
	'ifNobodyAnswers',
	'wait',
	"What to do when a request isn't answered in time",
	{
		abort: ABORT_CHOICE,
		deny: ['Deny', 'Deny the request. The agent continues without the permission.'],
		wait: ['Wait', "Keep waiting until 'Give Up After'"],
	},
	{
		hint: "Requires a connection from 'Needs Approval' back to this node, directly or through other nodes",
	},
);

export const unansweredAfter = numberField(
	'If Nobody Answers After (Hours)',
	'unansweredAfter',
	24,
	0,
	'How long approvers have, counted from when a request was first seen',
);

export const sendComments = toggle(
	'Send Comments to the Agent',
	'sendComments',
	false,
	'Whether to send the comment of an approval page to the agent as a message',
);

export const returnTogether = toggle(
	'Return Items Together',
	'returnTogether',
	false,
	'Whether completed items wait until no item is still running, and leave in one run',
);

const options: Field[] = [
	...policyOptions,
	...showFor({ '/operation': ['start'] }, body),
	...showFor<Field>(
		{ '/operation': SESSION_OPERATIONS },
		decisionBody,
		abortOnStop,
		maxConcurrentSessions,
	),
	...showFor(
		{ '/operation': SESSION_OPERATIONS, '/wait': ['memory'] },
		maxPollInterval,
		pollInterval,
	),
	...showFor<Field>(
		{ '/operation': SESSION_OPERATIONS, '/wait': ['database'] },
		giveUpAfter,
		onGiveUp,
		ifNobodyAnswers,
		unansweredAfter,
		sendComments,
		returnTogether,
		...teamOptions,
	),
];

export const optionsField = collection(
	'Options',
	'options',
	'Add Option',
	options.sort((one, other) => (one.displayName < other.displayName ? -1 : 1)),
);
