// Each error says what to do, and names fields as the panel does. docs/errors.md lists all errors.
import { expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { errorPage, thrownErrors } from './errors.mts';

const require = createRequire(import.meta.url);
const page = new URL('../../docs/errors.md', import.meta.url);
const errors = thrownErrors();

/** Returns whether an error passes on the text of another error */
const isPassedOn = ({ message }: { message: string }) => message === '…';

/** Returns the names that a panel shows: fields, choices and outputs. */
function listNames(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	const { displayName, name } = value as Record<string, unknown>;
	const own = [displayName, name].filter((each) => typeof each === 'string');
	return [...own, ...Object.values(value).flatMap(listNames)];
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
const { OUTPUTS } = require('../../nodes/RunAgentSession/panel/properties.ts');
const shown = new Set([
	...[RunAgentSession, WorkspaceAutomation, WorkspaceAutomationTrigger].flatMap((Node) =>
		listNames(new Node().description),
	),
	...listNames(new WorkspaceAutomationApi().properties),
	...listNames(OUTPUTS),
	// n8n's own, of every HTTP request
	...['Proxy', 'Ignore SSL Issues'],
]);

test('each error names the next step', () => {
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

test('docs/errors.md lists every error of the code', () => {
	if (process.env.WRITE_DOCUMENT === '1') writeFileSync(page, errorPage(errors));
	expect(readFileSync(page, 'utf8')).toBe(errorPage(errors));
});
