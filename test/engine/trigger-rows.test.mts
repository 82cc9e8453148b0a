// Rows Found: a query of the trigger, over real HTTP against the local mock service and its ClickHouse.
import { beforeEach, expect, test } from '@jest/globals';
import { controlOver, type ControlClient } from '../../local-service/control/client.mts';
import { poller, type Setup } from './engine.mts';
import { useService } from './service.mts';

const service = useService();
let control: ControlClient;
beforeEach(() => {
	control = controlOver(service.controlUrl);
});

const setup = (query: string, keyColumns = '', options: object = {}): Setup => ({
	node: 'workspaceAutomationTrigger',
	parameters: { event: 'rowsFound', query, keyColumns, options } as Setup['parameters'],
	credentials: service.credentials,
});

const VISITS = `SELECT path, count() AS visits FROM events_computed
	WHERE startsWith(path, '/watched') GROUP BY path HAVING visits > 1 ORDER BY path`;
const visit = async (path: string, count = 2) =>
	await control.addEvents({ projectId: service.projectId, path: `/watched${path}`, count });

test("a row starts the workflow once while it's in the result, even if other columns change", async () => {
	const trigger = poller(setup(VISITS, 'path'));
	await visit('/old');
	expect(await trigger.poll()).toBeNull();
	await visit('/new');
	const [row, ...more] = (await trigger.poll())!;
	expect(more).toEqual([]);
	expect(row).toEqual({
		path: '/watched/new',
		visits: 2,
		event: 'rowsFound',
		eventId: expect.stringMatching(/^rowsFound:[\w-]+:\w+$/),
	});
	await visit('/new');
	expect(await trigger.poll()).toBeNull();
});

test.each(['{{ null }}', '{{ 7 }}', '{{ ({ a: 1 }) }}', '{{ ["a", 7] }}'])(
	'Key Columns that are no texts are refused before anything is sent: %s',
	async (expression) => {
		const trigger = poller(setup('SELECT 1 AS a', `=${expression}`));
		await expect(trigger.poll()).rejects.toMatchObject({
			message: expect.stringMatching(/^'Key Columns' is (empty|not a text)$/),
		});
		expect(await service.requests()).toEqual([]);
	},
);

test('without Key Columns every changed row is a new one', async () => {
	const trigger = poller(setup(VISITS));
	await visit('/one');
	await trigger.poll();
	await visit('/one', 1);
	expect(await trigger.poll()).toMatchObject([{ path: '/watched/one', visits: 3 }]);
});

test('a row that left and returned starts the workflow again, with another eventId', async () => {
	const query =
		"SELECT 1 AS alarm FROM events_computed WHERE path = '/watched' HAVING count() % 2 = 1";
	const trigger = poller(setup(query, 'alarm'));
	await trigger.poll();
	const found: any[] = [];
	for (let time = 0; time < 4; time++) {
		await visit('', 1);
		found.push(...((await trigger.poll()) ?? []));
	}
	expect(found).toMatchObject([{ alarm: 1 }, { alarm: 1 }]);
	expect(found[0].eventId).not.toBe(found[1].eventId);
});

test('Include Existing Items and Max Events also apply to rows', async () => {
	await visit('/a');
	await visit('/b');
	const trigger = poller(setup(VISITS, 'path', { existing: true, maxEvents: 1 }));
	const paths: string[] = [];
	for (let rows = await trigger.poll(); rows; rows = await trigger.poll())
		paths.push(...rows.map(({ path }) => path));
	expect(paths).toEqual(['/watched/a', '/watched/b']);
});

test('expressions and query parameters are written into the query as values', async () => {
	const query =
		"SELECT {{ 'it' + String.fromCharCode(39) + 's' }} AS text, {number:UInt8} AS number";
	const parameters = { values: [{ name: 'number', value: '7' }] };
	const trigger = poller(setup(query, 'number', { parameters }));
	expect(await trigger.test()).toMatchObject([{ text: "it's", number: 7 }]);
});

test.each([
	['SELECT 1 AS event', '', "'Query' returns a column named event"],
	['SELECT 1 AS "eventId"', '', "'Query' returns a column named eventId"],
	[
		'SELECT 1 AS a, 2 AS b',
		'a, c',
		"'Key Columns' names a column that the query doesn't return: c",
	],
	// n8n 1.123 gives a trigger up for good whose error has this word in it.
	[
		'SELECT 1 AS a',
		'Authorization',
		"'Key Columns' names a column that the query doesn't return: authorization",
	],
	['', '', "'Query' is empty"],
	['DROP TABLE events', '', "'Query' isn't a SELECT or WITH statement"],
	['SELECT * FROM numbers(20001)', 'number', 'There are more than 20000 entries to watch'],
])('refuses %s (%s)', async (query, keyColumns, message) => {
	await expect(poller(setup(query, keyColumns)).poll()).rejects.toMatchObject({ message });
});

test('Fetch Test Event has a message if no row exists', async () => {
	await expect(poller(setup(VISITS)).test()).rejects.toMatchObject({
		message: 'There is no row to show as a sample',
	});
});
