// The table of the API document: each row with our operations and the test that shows it.
import {
	documented,
	errorCodes,
	errorFields,
	errorStatuses,
	limits,
} from '../support/documentRows.mts';
import { sentences } from './sentences.mts';

/** A test, by its file below test/ and a part of its title */
export interface Evidence {
	file: string;
	title: string;
}

export interface DocumentRow {
	row: string;
	operations: string[];
	test?: Evidence;
}

const PRISM = 'engine/prism.test.mts';
const DOCUMENTED = 'engine/as-documented.test.mts';

/** Fields shown outside of the item, by endpoint and name: paging, setup, rows and content */
const READ_BY_THE_NODE: Array<[RegExp, Evidence]> = [
	[
		/ setup_required/,
		{ file: DOCUMENTED, title: 'is the error of a list, a picker and a selection' },
	],
	[
		/query (rowCount|data)$/,
		{ file: 'engine/analytics.test.mts', title: "stay in one item, in the service's format" },
	],
	[/content url$/, { file: DOCUMENTED, title: 'can be the download URL itself' }],
	[
		/^GET \/(projects|tasks|files|custom-domains|products) (object|has_more|next_cursor|data)$/,
		{ file: 'engine/workspace-automation.test.mts', title: 'return all reads every page once' },
	],
];

const LIMITS: Record<string, Evidence> = {
	'File content size': { file: 'engine/bad-input.test.mts', title: 'LONG(10 * 1024 * 1024 + 1)' },
	'Download URL validity': {
		file: 'service/resources.test.mts',
		title: 'can be fetched for 15 minutes and no longer',
	},
	'Analytics execution time': {
		file: 'unit/operation-limits.test.mts',
		title: "an analytics query has more time than the service's 60 seconds",
	},
	'Analytics result rows': {
		file: 'engine/analytics.test.mts',
		title: 'cause a note in the execution if the service returns its maximum',
	},
	'route length': { file: 'engine/bad-input.test.mts', title: "LONG(2048, '/')" },
	'locale length': { file: 'engine/bad-input.test.mts', title: 'locale: LONG(256)' },
	'numeric list query parameter': {
		file: 'engine/workspace-automation.test.mts',
		title: 'a limit of 150 is two requests',
	},
	'string list query parameter': {
		file: 'unit/operation-limits.test.mts',
		title: 'a cursor of 200 characters is returned unchanged',
	},
	'Recommended poll interval': {
		file: 'unit/operation-limits.test.mts',
		title: 'sessions are polled every 5 to 10 seconds',
	},
};

const CODES: Record<string, Evidence> = {
	not_found: {
		file: 'engine/file-operations.test.mts',
		title: 'a missing scope reads like a missing file',
	},
	conflict: { file: 'engine/file-operations.test.mts', title: 'a taken name is reported' },
};

const everyOperation = ['every operation'];

function fieldEvidence(name: string, endpoint: string): Evidence {
	const [, found] = READ_BY_THE_NODE.find(([pattern]) => pattern.test(`${endpoint} ${name}`)) ?? [];
	return found ?? { file: PRISM, title: 'every field of the response is in the item' };
}

/** Rows that each operation adds, by their test. */
const operationRows: DocumentRow[] = [
	...documented.map(({ endpoint, names }) => ({
		row: `\`${endpoint}\``,
		operations: names,
		test: { file: PRISM, title: 'Prism accepts the request of %s' },
	})),
	...documented.flatMap(({ endpoint, names, parameters }) =>
		parameters.map((name) => ({
			row: `\`${endpoint}\`: \`${name}\``,
			operations: names,
			test: { file: PRISM, title: 'every parameter is sent' },
		})),
	),
	...documented.flatMap(({ endpoint, names, fields }) =>
		fields.map((name) => ({
			row: `\`${endpoint}\`: \`${name}\``,
			operations: names,
			test: fieldEvidence(name, endpoint),
		})),
	),
];

/** All other rows of the document: errors, limits, sentences */
const otherRows: DocumentRow[] = [
	...errorStatuses.map(([status, meaning]) => ({
		row: `${status}: ${meaning}`,
		operations: everyOperation,
		test: { file: 'unit/errors.test.mts', title: `[answer(${status}` },
	})),
	...errorCodes.map((code) => ({
		row: `code \`${code}\``,
		operations: everyOperation,
		test: CODES[code],
	})),
	...errorFields.map((name) => ({
		row: `\`${name}\``,
		operations: everyOperation,
		test: {
			file: 'unit/errors.test.mts',
			title: "with the service's own words, code, link and status",
		},
	})),
	...limits.map(({ limit, value, operations }) => ({
		row: `${limit}: ${value}`,
		operations: operations.flatMap(
			(id) => documented.find(({ operationId }) => operationId === id)!.names,
		),
		test: LIMITS[limit],
	})),
	...sentences,
];

export const documentRows = [...operationRows, ...otherRows];
