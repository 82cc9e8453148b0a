import {
	choice,
	field,
	showFor,
	textField,
	toProperties,
	type Choices,
	type Field,
} from '../../shared/n8n/fields';
import type { Answer } from '../requests/answer';
import type { Decision, Rule } from '../policy/rule';
import type { Interaction } from '../../shared/client/session';

// A model must not fill in any of these fields. Their checks are in readLists.ts, which n8n doesn't need to show the panel.

const isPolicy = true;

type PolicyChoice = 'ask' | 'rules' | 'deny' | 'approve';

const policyField = (value: PolicyChoice): Field<PolicyChoice> =>
	choice<PolicyChoice>(
		'Permission Policy',
		'permissionPolicy',
		value,
		'Who decides when the agent asks to run a command or change a file',
		{
			ask: ['Ask for Approval', 'Send each request to an approver'],
			rules: ['Decide by Rules', 'Let the rules below decide each request'],
			deny: ['Deny All', 'Deny every request. The agent continues without the permission.'],
			approve: ['Approve All', 'Approve every request. Nobody is asked.'],
		},
		{ isPolicy },
	);

export const permissionPolicy = policyField('ask');
/** Trying something else than rules shows nothing. */
const trialPolicy = policyField('rules');

const DECISION_CHOICES: Choices<Decision> = {
	approve: ['Approve', 'The agent may do it. Nobody is asked.'],
	ask: ['Ask for Approval', 'Send the item to the output To Approve'],
	deny: ['Deny', 'The agent continues without it'],
};

export const answer = field<Answer>('Answer', 'answer', 'string', '={{ $json }}', {
	description:
		"The answering node's item, or a word such as approve or deny. For a question, any text.",
	hint: 'Reads items of Send and Wait for Response, Form and Chat. Without an answer, the requests stay undecided.',
	required: true,
	placeholder: 'e.g. approve',
	isPolicy,
});

export const requestsShown = field<Interaction[]>(
	'Requests Shown',
	'askedInteractions',
	'json',
	'',
	{
		description:
			'The requests that the approver saw: drag pendingInteractions of the item on To Approve here',
		required: true,
		isPolicy,
	},
);

export const answerComment = textField<string>('Comment', 'comment', {
	description:
		'Your comment for the record of the decision. The agent also gets the comment of a denial.',
	placeholder: 'e.g. Only on the staging site',
	isPolicy,
});

const ruleFields: Field[] = [
	field('Permission', 'permission', 'string', '', {
		description: 'What you decide about: bash runs a command, edit changes a file, * is anything',
		placeholder: 'e.g. bash',
	}),
	field('Pattern', 'pattern', 'string', '', {
		description: 'The command, path or address to match. Add a rule for each.',
		hint: 'npm run * matches npm run build, not npm run build && rm x. A single * matches everything.',
		placeholder: 'e.g. npm run build',
	}),
	choice(
		'Decision',
		'decision',
		'',
		'To approve, the pattern has to match the whole text. A denial also finds its words inside.',
		{
			'': ['- Choose -'],
			...DECISION_CHOICES,
		},
	),
];

export const rules: Field<Rule[]> = {
	displayName: 'Rules',
	name: 'permissionRules',
	type: 'fixedCollection',
	default: {},
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add Rule',
	description: 'The first of your rules that matches decides',
	isPolicy,
	options: [{ displayName: 'Rule', name: 'rule', values: toProperties(ruleFields) }],
};

export const defaultDecision = choice(
	'When No Rule Matches',
	'defaultDecision',
	'ask',
	'For all other requests. Keep Ask for Approval until you know what your agent asks for.',
	DECISION_CHOICES,
	{ isPolicy },
);

export const policyFields: Field[] = [
	...showFor({ operation: ['start', 'continue'] }, permissionPolicy),
	...showFor({ operation: ['tryRules'] }, trialPolicy),
	...showFor<Field>({ permissionPolicy: ['rules'] }, rules, defaultDecision),
	...showFor<Field>({ operation: ['applyAnswer'] }, answer, requestsShown, answerComment),
];

export const approveWith = choice(
	'Approve With',
	'approveWith',
	'once',
	'Which approval to prefer if the agent offers several',
	{
		always: ['Always', 'Prefer the option that approves it permanently'],
		once: ['Once', 'Prefer the option that approves it this time'],
	},
	{ isPolicy },
);

export const moreRules = field<Rule[]>('More Rules', 'moreRules', 'json', '[]', {
	description: 'Rules from data, evaluated after Rules: a JSON list, usually an expression',
	hint: 'Fields: permission, pattern, decision, wildcard, expires. Without "wildcard": true, the texts match exactly.',
	placeholder: 'e.g. [{"permission": "bash", "pattern": "git status", "decision": "approve"}]',
	isPolicy,
});
