// The sentences of the API document that say more than its tables: what holds, what a client does, and what it can't expect.
import type { DocumentRow } from './document.mts';

type Place = [file: string, title: string];

const EVERY = ['every operation'];
const FILES = ['file.create', 'file.createFolder'];
const SESSION = ['agentSession.get'];

const PRISM = 'engine/prism.test.mts';
const OPERATIONS = 'engine/workspace-automation.test.mts';
const DOCUMENTED = 'engine/as-documented.test.mts';
const RULES = 'unit/document-rules.test.mts';
const SERVICE_REQUESTS = 'service/requests.test.mts';
const RESOURCES = 'service/resources.test.mts';
const SENT_ONCE = 'engine/sent-once.test.mts';

const tableTest: Place = [
	'engine/analytics.test.mts',
	'starts with a query of $value that works, with columns that the document has',
];

const table: Array<[sentence: string, operations: string[], ...Place]> = [
	// Conventions
	[
		"The base URL's last path segment is `/v1`.",
		EVERY,
		'unit/credential.test.mts',
		"doesn't end in",
	],
	[
		'All requests and responses are JSON.',
		EVERY,
		SERVICE_REQUESTS,
		'a body without the content type of JSON',
	],
	[
		'Every request carries a bearer token and a version header.',
		EVERY,
		PRISM,
		'every parameter is sent',
	],
	[
		'Identifiers are UUID strings unless stated otherwise.',
		EVERY,
		DOCUMENTED,
		'UUIDs in capitals are sent in lower case',
	],
	[
		'`has_more` is true when more items remain.',
		['task.getAll'],
		OPERATIONS,
		'return all reads every page once',
	],
	[
		'Files are kept apart from Assets.',
		['file.create'],
		'engine/file-operations.test.mts',
		'create from an asset',
	],
	// Resources
	[
		'The project list adds an optional `setup_required`.',
		['project.getAll'],
		DOCUMENTED,
		'is the error of a list, a picker and a selection',
	],
	[
		"Items saved without a parent live in the caller's My Files.",
		FILES,
		DOCUMENTED,
		'a file moves to My Files if its new folder is empty',
	],
	[
		'A name must be unique among siblings.',
		FILES,
		RESOURCES,
		'under the name of a sibling is a conflict',
	],
	[
		"The stored prompt is writable but isn't part of the returned task.",
		['task.get', 'task.update'],
		RESOURCES,
		'the same update changes nothing again, and the prompt is stored',
	],
	[
		'The status object is returned when reading a session and when resolving an interaction.',
		[...SESSION, 'agentSession.resolveInteraction'],
		PRISM,
		'every field of the response is in the item',
	],
	[
		'Pending interactions that are not empty mean that the session is blocked.',
		SESSION,
		'unit/session-reading.test.mts',
		'pending requests',
	],
	[
		'A pending interaction is a union of two variants, and the second is not shown.',
		['agentSession.resolveInteraction'],
		'engine/agent-session-operations.test.mts',
		'is sent: %s',
	],
	[
		'A shared preview is a durable link to the requested route.',
		['sharedPreview.create'],
		RESOURCES,
		'a shared preview has a link that opens',
	],
	[
		'The keys of rows follow the selected columns.',
		['analytics.query'],
		'engine/analytics.test.mts',
		"become items, in the query's order",
	],
	['`since` and `until` are inclusive UTC dates.', ['analytics.query'], ...tableTest],
	// States
	[
		'A client polls until `status` is `completed` or `failed`.',
		SESSION,
		'unit/session-reading.test.mts',
		'completed and failed end a session, and no other does',
	],
	[
		'Reading a new session may return 404 for 1 to 2 seconds.',
		SESSION,
		'service/agent-sessions.test.mts',
		'a new session is not found for its first second at least',
	],
	[
		'A 404 on a new session is retried with backoff from 1 second, for about three attempts.',
		SESSION,
		'simulation/beginning.test.mts',
		'a 404 is retried after 1, 2 and 4 seconds',
	],
	[
		'A client polls every 5 to 10 seconds.',
		SESSION,
		'unit/operation-limits.test.mts',
		'sessions are polled every 5 to 10 seconds',
	],
	// Endpoints
	[
		'Repeating the same update of a task is safe.',
		['task.update'],
		RESOURCES,
		'the same update changes nothing again, and the prompt is stored',
	],
	[
		'Starting a session returns immediately, and each call creates a new one.',
		['agentSession.create'],
		'service/agent-sessions.test.mts',
		'starting a session responds at once, and each call starts another session',
	],
	[
		'Starting a session has 120 seconds.',
		['agentSession.create'],
		RULES,
		"['createAgentSession', 120]",
	],
	['Reading a session has 30 seconds.', SESSION, RULES, "['getAgentSession', 30]"],
	[
		'Each message starts a new turn, and is not idempotent.',
		['agentSession.sendMessage'],
		SENT_ONCE,
		'a message with a lost response is not repeated if the session has changed',
	],
	[
		'Aborting a session twice is a no-op.',
		['agentSession.abort'],
		'service/agent-sessions.test.mts',
		'fails the session, and a second abort changes nothing',
	],
	[
		'A query is a SELECT or WITH statement only.',
		['analytics.query'],
		'engine/bad-input.test.mts',
		"isn't a SELECT or WITH statement",
	],
	[
		'The caller adds no project filters.',
		['analytics.query'],
		'service/analytics.test.mts',
		'a caller sees only the rows of its own projects',
	],
	['Totals of sessions deduplicate by `subject`.', ['analytics.query'], ...tableTest],
	[
		'Aggregate states are read with the matching merge function.',
		['analytics.query'],
		'engine/analytics.test.mts',
		'has no hint for other resources',
	],
	[
		'A shared preview is created, or recovered if one exists.',
		['sharedPreview.create'],
		OPERATIONS,
		'create, and get the same preview again',
	],
	[
		'An agent session must have been started in the project before sharing.',
		['sharedPreview.create'],
		OPERATIONS,
		'without a session in the project is an error that says so',
	],
	[
		'A route is an absolute path without query string or fragment.',
		['sharedPreview.create'],
		'engine/bad-input.test.mts',
		'has a query string or fragment',
	],
	[
		"Without a locale, the site's default is used.",
		['sharedPreview.create'],
		PRISM,
		"'sharedPreview.create': [{ locale: 'en' }]",
	],
	[
		'Listing and reading files require `files.read`.',
		['file.get', 'file.getAll', 'file.getContent'],
		RULES,
		"['getFileContent', 'files.read']",
	],
	[
		'Creating, renaming and moving files require `files.write`.',
		[...FILES, 'file.rename', 'file.move'],
		RULES,
		"['renameFile', 'files.write']",
	],
	[
		'Copying an Asset also requires `assets.read`.',
		['file.create'],
		RULES,
		'files.write (and assets.read to copy an asset)',
	],
	[
		'Content size is at most 10 MiB.',
		['file.create'],
		'engine/bad-input.test.mts',
		'LONG(10 * 1024 * 1024 + 1)',
	],
	[
		"A file's content, with every character escaped, is at most 64 MiB.",
		['file.getContent'],
		RULES,
		"['getFileContent', 64]",
	],
	[
		'A duplicate name returns 409 and overwrites nothing.',
		FILES,
		RULES,
		"['createFile', 409, 'Check whether a file or folder with this name exists there.']",
	],
	[
		'File content is the complete text or a download URL.',
		['file.getContent'],
		'engine/file-operations.test.mts',
		'downloads the same bytes without the token',
	],
	[
		'A download URL is valid for 15 minutes.',
		['file.getContent'],
		RESOURCES,
		'can be fetched for 15 minutes and no longer',
	],
	[
		'A repeated delete returns 404 `not_found`.',
		['customDomain.delete'],
		OPERATIONS,
		'delete returns deleted, and a second delete reports a missing domain',
	],
	[
		'Each call of `POST /products` creates a new product.',
		['product.create'],
		SENT_ONCE,
		'a product that may have been created is reported, not repeated',
	],
	[
		'Repeating the same update of a product is safe.',
		['product.update'],
		RESOURCES,
		'a product is changed field by field, any number of times',
	],
	[
		'A client checks whether a non-idempotent request took effect before retrying it.',
		['agentSession.create', 'agentSession.sendMessage', ...FILES, 'product.create'],
		'unit/retry-policy.test.mts',
		'never repeats a non-idempotent request without a reconciliation',
	],
	// Authentication
	[
		"A key acts with the creator's current permissions, limited by its scopes.",
		EVERY,
		RESOURCES,
		'a key sees the projects that it has access to',
	],
	[
		'When a check fails, the service returns 404, the same as for a missing resource.',
		EVERY,
		'engine/file-operations.test.mts',
		'a missing scope reads like a missing file',
	],
	[
		'A missing or invalid token yields 401.',
		EVERY,
		SERVICE_REQUESTS,
		'$operationId requires a valid key',
	],
	// Events, errors and versions
	[
		'Nothing describes events: changes are observed by polling.',
		['task.getAll'],
		'engine/trigger-events.test.mts',
		'starts the workflow once for its thing, and not for existing or other things',
	],
	[
		'Every error returns a JSON envelope.',
		EVERY,
		'unit/errors.test.mts',
		"with the service's own words, code, link and status",
	],
	[
		'A 429 is retried after the time in `Retry-After`.',
		EVERY,
		'unit/retry-policy.test.mts',
		'is never before Retry-After nor before a second',
	],
	[
		'`2026-08-21` is the allowed version on `GET /custom-domains` and `GET /tasks/{taskId}`.',
		['customDomain.getAll', 'task.get'],
		OPERATIONS,
		'get sends the older version, and the credential cannot change that',
	],
];

export const sentences: DocumentRow[] = table.map(([row, operations, file, title]) => ({
	row,
	operations,
	test: { file, title },
}));
