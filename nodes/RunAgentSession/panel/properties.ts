import { NodeConnectionTypes, type INodeProperties } from 'n8n-workflow';

import {
	choice,
	collection,
	countField,
	jsonField,
	numberField,
	showFor,
	textField,
	toggle,
	toProperties,
	type Field,
} from '../../shared/n8n/fields';
import type { PreviewPage } from '../session/facts';
import { simplify, UUID_EXAMPLE } from '../../shared/n8n/commonFields';
import { requireId, requireRoute } from '../../shared/validation';
import { isRecord } from '../../shared/values';
import { approveWith, moreRules, policyFields } from './policyFields';
import { ABORT_CHOICE, SESSION_OPERATIONS, sessionFields, waitFields } from './sessionFields';
import { teamOptions } from './teamFields';

export const body = jsonField(
	'Body',
	'body',
	'More fields for the request that starts the session, as a JSON object',
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
	20,
	'The other items start when one of these sessions ends',
);

export const maxPerProject = countField(
	'Max per Project',
	'maxPerProject',
	1,
	'Use 1 if agents would get in the way of each other',
);

export const askIfQuiet = numberField(
	'Ask If Quiet for (Minutes)',
	'askIfQuiet',
	30,
	1,
	'Ask approvers what to do if the session shows no activity for so long',
	{ isPolicy: true },
);

export const ifNobodyAnswers = choice(
	'If Nobody Answers',
	'ifNobodyAnswers',
	'wait',
	"What to do when a request isn't answered in time",
	{
		abort: ABORT_CHOICE,
		deny: ['Deny', 'Deny the request. The agent continues without the permission.'],
		wait: ['Wait', "Keep waiting until 'Max Wait'"],
	},
);

export const unansweredAfter = numberField(
	'If Nobody Answers After (Hours)',
	'unansweredAfter',
	24,
	0,
	'How long approvers have, counted from when a request was first seen',
);

export const answerIfNobodyAnswers = textField<string>(
	'Answer If Nobody Answers',
	'answerIfNobodyAnswers',
	{
		description: "The answer to a question of the agent, with 'If Nobody Answers' set to Deny",
		hint: 'If the question has options, it has to be one of them. Otherwise, the workflow stops with an error.',
		placeholder: 'e.g. Decide yourself',
		isPolicy: true,
	},
);

export const sendComments = toggle(
	'Send Comments to the Agent',
	'sendComments',
	false,
	'Whether to send the comments and reasons of an approval page to the agent as a message',
);

const previewFields: Field[] = [
	textField('Site ID', 'siteId', {
		required: true,
		placeholder: UUID_EXAMPLE,
		description: 'The site that the agent works on',
	}),
	textField('Route', 'route', {
		default: '/',
		required: true,
		placeholder: 'e.g. /pricing',
		description: 'The path of the page, without query string or fragment',
	}),
];

export const preview: Field<PreviewPage | undefined> = {
	displayName: 'Preview',
	name: 'preview',
	type: 'fixedCollection',
	default: { page: {} },
	description: 'The page of a site that approvers and completed items get a link to',
	check(_label, value) {
		const { page } = isRecord(value) ? value : {};
		const { siteId, route } = isRecord(page) ? page : {};
		// An expression may have no site for some of the items.
		if (siteId === '') return undefined;
		return { siteId: requireId('Site ID', siteId), route: requireRoute('Route', route) };
	},
	options: [{ displayName: 'Page', name: 'page', values: toProperties(previewFields) }],
};

const sorted = (options: Field[]): Field[] =>
	options.sort((one, other) => (one.displayName < other.displayName ? -1 : 1));

const onlyWhile = <F extends Field>(...fields: F[]) =>
	showFor({ '/operation': SESSION_OPERATIONS }, ...fields);

const TRIED_POLICIES = ['ask', 'rules', 'approve'];

const approvalsField = collection(
	'Approvals',
	'approvals',
	'Add Approval Option',
	sorted([
		...showFor({ '/permissionPolicy': ['rules', 'approve', 'ask'] }, approveWith),
		...showFor({ '/permissionPolicy': ['rules'] }, moreRules),
		...onlyWhile<Field>(ifNobodyAnswers, unansweredAfter, answerIfNobodyAnswers, sendComments),
		...onlyWhile<Field>(...showFor<Field>({ '/whileWaiting': ['pause'] }, ...teamOptions)),
	]),
);

const optionsField = collection(
	'Options',
	'options',
	'Add Option',
	sorted([
		...showFor<Field>({ '/operation': ['start'] }, body, maxPerProject, preview),
		abortOnStop,
		askIfQuiet,
		maxConcurrentSessions,
		simplify,
	]),
);

const collections: Field[] = [
	// Every policy asks if a request has no clear option, or if the agent has a question.
	...showFor({ operation: SESSION_OPERATIONS }, approvalsField),
	...showFor({ operation: ['tryRules'], permissionPolicy: TRIED_POLICIES }, approvalsField),
	...showFor({ operation: SESSION_OPERATIONS }, optionsField),
];

export const properties: INodeProperties[] = toProperties([
	...sessionFields,
	...policyFields,
	...waitFields,
	...collections,
]);

export const OUTPUTS = ['Completed', 'To Approve'].map((displayName) => ({
	type: NodeConnectionTypes.Main,
	displayName,
}));
