// Foreign text is read in time in proportion to its length: what takes its author a moment takes nobody's n8n away.
import { expect, test } from '@jest/globals';
import { bind, requireSelect } from '../../nodes/shared/analytics/query.ts';
import { bareState } from '../../nodes/WorkspaceAutomation/resources/analytics.ts';
import { readAnswer } from '../../nodes/RunAgentSession/requests/answer.ts';
import { readRequestsShown } from '../../nodes/RunAgentSession/panel/readSettings.ts';
import { readRules } from '../../nodes/RunAgentSession/panel/readLists.ts';
import { decideRequest } from '../../nodes/RunAgentSession/requests/decisions.ts';
import { formatQuestion } from '../../nodes/RunAgentSession/message/approverText.ts';
import { tryRules } from '../../nodes/RunAgentSession/operations/tryRules.ts';
import { toSheets } from '../unit/sheets.mts';
import { quoteVisible, splitVisible } from '../../nodes/shared/approvals/visibleText.ts';
import { readSession } from '../../nodes/shared/client/session.ts';
import {
	checkBaseUrl,
	readCredential,
	createRedactor,
} from '../../nodes/shared/client/credential.ts';
import { isPrivateHost } from '../../nodes/shared/client/hosts.ts';
import { readOverrides } from '../../nodes/shared/client/overrides.ts';
import { WorkspaceAutomationError } from '../../nodes/shared/errors.ts';
import { attemptError, describeBody } from '../../nodes/shared/client/attemptError.ts';
import { retryAfterMs } from '../../nodes/shared/client/retryPolicy.ts';
import { parseBody } from '../../nodes/shared/client/httpRequest.ts';
import { requireAnyId, requireId, requireSessionId } from '../../nodes/shared/validation.ts';
import { excerpt, parseJson, quote } from '../../nodes/shared/values.ts';

const LENGTH = 200_000;

/** Number of times that the two lengths are timed at most. Of each the best counts: what else the machine does only adds. */
const ROUNDS = 4;

/** A quarter of the text is compared with all of it: in proportion it is 4, squared it is 16. */
const PART = 4;
const MOST = 9;

/** Some systems count processor time in steps of 10 ms. */
const ENOUGH_MICROSECONDS = 50_000;

/** Quadratic code takes longer even if each step compares many bytes at once: faster code needs no comparison. */
const QUICK_MICROSECONDS = 100_000;

/** Processor time of this thread for one run, over as many as it takes: what else the machine does takes none of it */
function microseconds(
	work: (text: string) => unknown,
	text: string,
	enough = ENOUGH_MICROSECONDS,
): number {
	const start = process.threadCpuUsage();
	for (let runs = 1; ; runs++) {
		try {
			work(text);
		} catch (error) {
			if (!(error instanceof WorkspaceAutomationError)) throw error;
		}
		const { user, system } = process.threadCpuUsage(start);
		if (user + system >= enough) return (user + system) / runs;
	}
}

/** Returns the amount that longer a long text takes than a quarter of it */
function growth(work: (text: string) => unknown, textOf: (length: number) => string): number {
	const part = textOf(LENGTH / PART);
	// With the square of its length, all of the text would take less than QUICK_MICROSECONDS.
	if (microseconds(work, part, 0) < QUICK_MICROSECONDS / PART ** 2) return 1;
	const whole = textOf(LENGTH);
	if (microseconds(work, whole, 0) < QUICK_MICROSECONDS) return 1;
	let [best, bestOfPart] = [Infinity, Infinity];
	for (let round = 0; round < ROUNDS && !(best / bestOfPart < MOST); round++) {
		bestOfPart = Math.min(bestOfPart, microseconds(work, part));
		best = Math.min(best, microseconds(work, whole));
	}
	return best / bestOfPart;
}

/** The error for a response of this status */
const getError = (status: number, { body, text }: { body?: unknown; text?: string }) =>
	attemptError({ kind: 'response', status, headers: {}, body, text }, {}, 0);

/** A text of about this length: the middle as often as it fits, between a start and an end */
const text =
	(start: string, middle: string, end = '') =>
	(length: number) =>
		start + middle.repeat(Math.floor(length / middle.length)) + end;

const values = {
	parameters: new Map<string, unknown>([['a', 'x']]),
	evaluate: () => 'x',
};

const QUERIES: Array<[start: string, middle: string, end?: string]> = [
	['SELECT 1', ' ', 'x'],
	['SELECT 1', ' ;', 'x'],
	['SELECT 1', ';'],
	['SELECT 1', '\n', "'"],
	['', ' (', 'SELECT'],
	['SELECT ', '(('],
	['SELECT ', 'a'],
	['SELECT ', 'a$'],
	['SELECT ', '1'],
	['SELECT ', '1.'],
	['SELECT ', '1e'],
	['SELECT ', '1e-1'],
	['SELECT ', '.1e-1+'],
	['SELECT ', "'"],
	['SELECT ', "''"],
	["SELECT '", '\\'],
	["SELECT '", "\\'"],
	["SELECT '", '\\x', "'"],
	["SELECT '", '{a', "'"],
	["SELECT '", '{ ', "'"],
	["SELECT '{", ' ', "'"],
	["SELECT '{a:", ' ', "'"],
	["SELECT '{b", ' ', "'"],
	["SELECT '", '{b:x}', "'"],
	['SELECT ', '`"`'],
	['SELECT ', '"a" '],
	['SELECT ', '‘'],
	['SELECT ', '‘a’'],
	['SELECT ', '$'],
	['SELECT ', '$a$ '],
	['SELECT ', '$$ $'],
	['SELECT $a$', '$a', '$a$'],
	['SELECT ', "x'4'"],
	["SELECT x'", '4'],
	['SELECT ', '-- \n'],
	['SELECT --', ' '],
	['SELECT ', '# '],
	['SELECT ', '/*'],
	['SELECT ', '/* */'],
	['SELECT /*', '/**/'],
	['SELECT /*', '*'],
	['SELECT ', '{'],
	['SELECT ', '{{'],
	['SELECT ', '{{ '],
	['SELECT ', '{{}}'],
	['SELECT ', '{{}} '],
	['SELECT ', '}}'],
	["SELECT '", '{{}}', "'"],
	['SELECT /*', '{{}}', '*/'],
	['SELECT $$', '{{}}', '$$'],
	['SELECT {{', ' ', '}}'],
	['SELECT ', '{a} '],
	['SELECT ', '{a:String} '],
	['SELECT {', ' '],
	['SELECT {a', ' '],
	['SELECT {a:', ' '],
	['SELECT {', 'a'],
	['SELECT {a:', 'a '],
	['SELECT {a:', 'Array('],
	['SELECT {a:a(', "'',"],
	["SELECT {a:a('", "\\'"],
	['SELECT {a:a(', '1,', '1)}'],
];

test.each(QUERIES)('a query of 200 kB is read in linear time: %j, %j, %j', (...parts) => {
	const read = (sql: string) => requireSelect('Query', bind(sql, values));
	expect(growth(read, text(...parts))).toBeLessThan(MOST);
});

test.each([["'"], ['\\'], ['\0'], ["\\'"], ['x'], ['2026-10-05T'], ['\u{1f600}']])(
	'a value of 200 kB is written in linear time: %j',
	(middle) => {
		const write = (value: string) =>
			bind(
				"SELECT {a}, {a:String}, {a:Date}, {a:Identifier}, {{ x }}, '{{ x }}', {l:Array(String)}",
				{
					parameters: new Map<string, unknown>([
						['a', value],
						['l', [value]],
					]),
					evaluate: () => value,
				},
			);
		expect(growth(write, text('', middle))).toBeLessThan(MOST);
	},
);

test.each([
	['SELECT ', 'merge'],
	['SELECT ', 'merge '],
	['SELECT ', 'merge('],
	['SELECT merge', ' '],
	['SELECT merge(', 'a'],
	['SELECT ', 'merge(a)'],
	['SELECT ', 'f('],
	['SELECT ', 'a'],
	['SELECT ', 'a_state_'],
	['SELECT ', '_state '],
	['SELECT ', '_stat'],
	['SELECT ', '-'],
	['SELECT ', '--\n'],
	['SELECT ', '//\n'],
	['SELECT ', '#'],
	['SELECT ', '/*'],
	['SELECT /*', '*'],
	['SELECT ', "'"],
	["SELECT '", '\\'],
	['SELECT ', "'\\", '\\'],
	['SELECT ', "\\'", '\\'],
])('the hint about a query of 200 kB takes linear time: %j, %j, %j', (...parts: string[]) => {
	const condition = new Function(
		'$parameter',
		'$rawParameter',
		`return ${bareState.displayCondition!.replace(/^=\{\{|\}\}$/g, '')}`,
	);
	const hint = (query: string): unknown => condition({ resource: 'analytics' }, { query });
	expect(growth(hint, text(parts[0], parts[1], parts[2]))).toBeLessThan(MOST);
});

const interaction = (text: string) => ({
	id: 'i1',
	type: 'permission',
	permission: text,
	patterns: [text, 'x'],
	response: { instruction: text, options: [{ value: text, label: text }] },
});
const rules = [{ permission: '*', pattern: '*a*b', decision: 'deny' as const }];
const policy = { rules, defaultDecision: 'approve' as const, approveWith: 'once' as const };

/** Functions that read text of the service, an agent, an approver or an earlier node. They may throw an error. */
const READERS: Record<string, (text: string) => unknown> = {
	'the message of an error': (text) =>
		getError(400, { body: { error: { message: text, code: text, doc_url: text } } }),
	'an error that is no JSON': (text) => getError(500, { text }),
	'a body that is no JSON': (text) => describeBody({ text }),
	'Retry-After': (text) => retryAfterMs({ 'retry-after': text, date: text }, 0),
	'a body as JSON': (text) => parseJson(text),
	'a text in JSON': (text) => parseJson(JSON.stringify(text)),
	'a body with the key in it': (text) => parseBody(text, createRedactor('aa/a')),
	'JSON with the key in it': (text) =>
		parseBody(JSON.stringify([text, '\\/']), createRedactor('aa/a')),
	'JSON with a key full of escapes': (text) =>
		parseBody(JSON.stringify([text, '%25\\u0061']), createRedactor('&&%%\\\\aaaaaaaa&&%%')),
	'a session': (text) =>
		readSession(
			{ status: text, dashboardUrl: text, pendingInteractions: [interaction(text)] },
			text,
		),
	'a permission request, with rules': (text) =>
		decideRequest(interaction(text), { ...policy, mode: 'rules' }),
	'a permission request, with Approve All': (text) =>
		decideRequest(interaction(text), { ...policy, mode: 'approve' }),
	'a question': (text) =>
		formatQuestion({
			...{ more: 0, isReminder: false, hasChanged: false },
			origin: { sessionId: text, previewUrl: text },
			dashboardUrl: text,
			sheets: toSheets([interaction(text)]),
		}),
	'a quoted text': (text) => quoteVisible(text, 200),
	'a text on the approval page': (text) => splitVisible(text, Infinity),
	'an answer': (text) => readAnswer(text),
	'the answer in a form': (text) => readAnswer({ Decision: [text], submittedAt: text }),
	'an answer below data': (text) => readAnswer({ data: { text, [text]: text } }),
	"'Asked'": (text) => readRequestsShown(text),
	"'Requests'": (text) => tryRules(text, { ...policy, mode: 'rules' }),
	'the pattern of a rule': (text) => [
		readRules(
			'Rules',
			{ rule: [{ permission: text, pattern: text, decision: 'approve' }] },
			{ raw: undefined, evaluate: String },
		),
	],
	'a session by ID or address': (text) => requireSessionId('Session', text),
	'an ID': (text) => requireId('ID', text),
	'an ID of any form': (text) => requireAnyId('ID', text),
	'a base URL': (text) => checkBaseUrl(`https://${text}`),
	'the host of a download': (text) => isPrivateHost(text),
	'a credential': (text) =>
		readCredential({ baseUrl: 'https://a.example/v1', accessToken: text, apiVersion: text }),
	overrides: (text) =>
		readOverrides(
			JSON.stringify({ getTask: { path: text, query: { a: text }, body: { a: text } } }),
		),
	'an excerpt': (text) => [excerpt(text), quote({ text })],
};

/** The worst for one reader or another: what starts a match at every place, and what keeps it from ending */
const WORST = [
	...['a', ' ', '.', ',', '/', '\\', '"', '{', '[', '<', '1', '-', '\n', 'é', '́', '\u{1f600}'],
	...[
		'. ',
		' .',
		'a,',
		', ',
		'\\,',
		'\\/',
		'\\u0061',
		'\\u',
		'aa/',
		'1e',
		'1.',
		'{a',
		'{a}',
		'*a',
		'https://',
	],
	...['yes ', 'aB', 'a ,', 'a.', '1a-', '⟨', '<!--', '%2f', '[[', 'localhost.'],
];

test.each(Object.keys(READERS))('%s of 200 kB is read in linear time', (reader) => {
	const slow = WORST.flatMap((middle) =>
		[text('', middle), text('a', middle, '!')]
			.filter((textOf) => growth(READERS[reader], textOf) >= MOST)
			.map(() => middle),
	);
	expect(slow).toEqual([]);
});
