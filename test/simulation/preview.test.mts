// The preview of a page: it may hang, be refused or lead anywhere, and holds up nothing.
import { describe, expect, test } from '@jest/globals';
import { of, page, pausingRun, status, type Weather } from './simulation.mts';

const PATH = '/shared-previews';

function stage(weather: Weather | Weather[] = 'fine') {
	const run = pausingRun('[ask bash: a] [ask bash: b] [say Done]');
	const { service } = run;
	const list = [weather].flat();
	service.meets('any', ({ path }) =>
		path === PATH ? (list.length > 1 ? list.shift()! : list[0]) : 'fine',
	);
	const settings = { options: { preview: { page: { siteId: service.site.id, route: '/' } } } };
	return {
		service,
		previews: () => of(service.sent, 'POST', PATH),
		/** Returns the item for an approver. */
		ask: async () => await run.begin(settings),
		/** Answers, and returns what comes next. */
		async approve() {
			await run.answer('Approve once');
			return await run.next(settings);
		},
		/** Returns the item of a completed session. */
		complete: async () => await service.run('[say Done]', settings),
	};
}

test('a preview that hangs delays the question by at most 10 seconds, and the question has no link', async () => {
	const { service, previews, ask } = stage('hangs');
	const item = await ask();
	const [request, ...others] = previews();
	expect(others).toEqual([]);
	expect(service.now() - request.at).toBeLessThanOrEqual(10_000);
	expect(item.message).toMatch(/wants to run this command/);
	expect(item.message).not.toContain('Preview');
	expect(item.warnings).toEqual([expect.stringMatching(/^There's no preview: /)]);
});

test('before a question, it has one try', async () => {
	const { previews, ask } = stage(status(503));
	await ask();
	expect(previews()).toHaveLength(1);
});

describe('a preview is a warning, and the session completes', () => {
	test.each<[string, Weather, RegExp]>([
		['that is refused', status(403), /The API key doesn't allow this/],
		['for which no session was started', status(409), /The project has no agent session/],
		['that the service has no time for', status(429, '60'), /too many requests/],
		['whose response is a web page', page, /proxy or login page/],
		[
			'whose response has no link',
			{ change: ({ url: _, ...body }) => body },
			/"url" in the response/,
		],
		['whose response is empty', { status: 204, body: '' }, /didn't answer with JSON/],
		['that gets no connection', 'unsent', /couldn't be reached/],
	])('%s', async (_, weather, warning) => {
		const item = await stage(weather).complete();
		expect(item).toMatchObject({ status: 'completed', text: 'Done' });
		expect(item).not.toHaveProperty('previewUrl');
		expect(item.warnings).toEqual([expect.stringMatching(warning)]);
	});
});

test('after a failure before a question, it is asked for once more, when the session has completed', async () => {
	const { previews, ask, approve } = stage([status(403), 'fine']);
	expect((await ask()).warnings).toHaveLength(1);
	expect((await approve()).warnings).toHaveLength(1);
	expect(previews()).toHaveLength(1);
	const item = await approve();
	expect(item.previewUrl).toMatch(/^https:\/\//);
	expect(item.warnings).toEqual([]);
	expect(previews()).toHaveLength(2);
});

describe('only a safe address becomes a link', () => {
	test.each<[unknown, string | undefined]>([
		['https://preview.example/p/1?a=b#c', 'https://preview.example/p/1?a=b#c'],
		['HTTPS://Preview.Example', 'https://preview.example/'],
		['https://prévia.example/ñ', 'https://xn--prvia-csa.example/%C3%B1'],
		['http://localhost:5678/p', 'http://localhost:5678/p'],
		['http://127.0.0.2/p', 'http://127.0.0.2/p'],
		['http://[::1]:5678/p', 'http://[::1]:5678/p'],
		['http://preview.example/p', undefined],
		['http://localhost.evil.example/p', undefined],
		['javascript:alert(1)', undefined],
		['JavaScript:alert(1)//https://preview.example', undefined],
		['java\nscript:alert(1)', undefined],
		['ftp://preview.example/p', undefined],
		['//preview.example/p', undefined],
		['https://', undefined],
		['https://user:word@preview.example/p', undefined],
		['https://preview.example:443@evil.example/p', undefined],
		['https://preview.example/"><script>alert(1)</script>', undefined],
		['https://preview.example/a b', undefined],
		['https://preview.example/\u202E', 'https://preview.example/%E2%80%AE'],
		[
			`https://preview.example/${'a'.repeat(2_024)}`,
			`https://preview.example/${'a'.repeat(2_024)}`,
		],
		[`https://preview.example/${'a'.repeat(2_025)}`, undefined],
		[`https://preview.example/${'ñ'.repeat(1_000)}`, undefined],
		[`https://preview.example/${'a'.repeat(10_000)}`, undefined],
	])('%p', async (url, link) => {
		const { ask } = stage({ change: (body) => ({ ...body, url }) });
		const item = await ask();
		expect(item.previewUrl).toBe(link);
		expect(item.warnings).toEqual(
			link === undefined ? [expect.stringMatching(/^There's no link to the preview/)] : [],
		);
		const lines = String(item.message).split('  \n');
		expect(lines.filter((line) => line.startsWith('Preview: '))).toEqual(
			link === undefined ? [] : [`Preview: ${link}`],
		);
		expect(lines.at(-1)).toBe(item.approvalUrl);
	});
});
