// Each error says what to do next, and names fields as the panel does. errors.md is the table of all, to be read as one text.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { errorTable, thrownErrors } from './errors.mts';

const require = createRequire(import.meta.url);
const table = new URL('errors.md', import.meta.url);
const errors = thrownErrors();

/** Passed on as another has worded it: what the whole of it says was said there. */
const isPassedOn = ({ message }: { message: string }) => message === '…';

/** Whatever a panel shows as the name of something: fields, choices, outputs */
function namesIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	const { displayName, name } = value as Record<string, unknown>;
	const own = [displayName, name].filter((each) => typeof each === 'string');
	return [...own, ...Object.values(value).flatMap(namesIn)];
}

const { RunAgentSession } = require('../../nodes/RunAgentSession/RunAgentSession.node.ts');
const {
	WorkspaceAutomation,
} = require('../../nodes/WorkspaceAutomation/WorkspaceAutomation.node.ts');
const {
	WorkspaceAutomationTrigger,
} = require('../../nodes/WorkspaceAutomationTrigger/WorkspaceAutomationTrigger.node.ts');
const {
	WorkspaceAutomationApi,
} = require('../../credentials/WorkspaceAutomationApi.credentials.ts');
const { OUTPUTS } = require('../../nodes/RunAgentSession/outputs.ts');
const shown = new Set([
	...[RunAgentSession, WorkspaceAutomation, WorkspaceAutomationTrigger].flatMap((Node) =>
		namesIn(new Node().description),
	),
	...namesIn(new WorkspaceAutomationApi().properties),
	...(Object.values(OUTPUTS) as string[]),
	// n8n's own, of every HTTP request
	...['Proxy', 'Ignore SSL Issues'],
]);

test('each error says what to do next', () => {
	expect(errors.length).toBeGreaterThan(50);
	expect(errors.filter((error) => !isPassedOn(error) && !error.next)).toEqual([]);
});

test('errors name fields, choices and outputs as the panel shows them', () => {
	const named = errors.flatMap(({ file, message, next = '' }) =>
		[...`${message} ${next}`.matchAll(/(?<!\w)'([A-Z][^']*)'/g)].map(([, name]) => ({
			file,
			name,
		})),
	);
	expect(named.length).toBeGreaterThan(20);
	expect(named.filter(({ name }) => !shown.has(name))).toEqual([]);
});

test('errors.md is the table of all errors as the code has them', () => {
	if (process.env.WRITE_ERRORS === '1') writeFileSync(table, errorTable(errors));
	expect(readFileSync(table, 'utf8')).toBe(errorTable(errors));
});
