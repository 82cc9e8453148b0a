// The preview of a page: it may hang, be refused or lead anywhere, and holds up nothing.
import { describe, expect, test } from '@jest/globals';
import { toJson } from '../../nodes/RunAgentSession/execution/output.ts';
import { of, page, policy, simulation, status, type Weather } from './simulation.mts';

const PATH = '/shared-previews';
const previews = ({ sent }: Pick<ReturnType<typeof simulation>, 'sent'>) => of(sent, 'POST', PATH);

function stage(weather: Weather | Weather[] = 'fine') {
	const service = simulation();
	const list = [weather].flat();
	service.meets('any', ({ path }) =>
		path === PATH ? (list.length > 1 ? list.shift()! : list[0]) : 'fine',
	);
	const changes = {
		policy: policy('ask'),
		origin: { projectId: service.project.id },
		preview: { siteId: service.site.id, route: '/' },
	};
	/** The item for an approver */
	const ask = async (context = {}) => {
		const result = await service.run('[ask bash: a] [ask bash: b] [say Done]', changes, context);
		return toJson(result, false, true, result.asked?.[0], 'https://n8n.example/approval');
	};
	/** The item of a completed session */
	const complete = async (context = {}) =>
		toJson(await service.run('[say Done]', changes, context), false, true);
	return { service, ask, complete, changes };
}

test('a preview that hangs delays the question by at most 10 seconds, and the question has no link', async () => {
	const { service, ask } = stage('hangs');
	const item = await ask();
	const [request, ...others] = previews(service);
	expect(others).toEqual([]);
	expect(service.now() - request.at).toBeLessThanOrEqual(10_000);
	expect(item.message).toMatch(/wants to run this command/);
	expect(item.message).not.toContain('Preview');
	expect(item.warnings).toEqual([expect.stringMatching(/^There's no preview: /)]);
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
	const { service, ask, complete } = stage([status(403), 'fine']);
	const context: { flow?: object } = {};
	expect((await ask(context)).warnings).toHaveLength(1);
	expect((await ask({ flow: context.flow })).warnings).toHaveLength(1);
	expect(previews(service)).toHaveLength(1);
	const item = await complete({ flow: context.flow });
	expect(item.previewUrl).toMatch(/^http:\/\/localhost/);
	expect(item).not.toHaveProperty('warnings');
	await complete({ flow: context.flow });
	expect(previews(service)).toHaveLength(2);
});

test('it is not asked for a third time', async () => {
	const { service, ask, complete } = stage(status(403));
	const context: { flow?: object } = {};
	await ask(context);
	for (let time = 0; time < 3; time++) await complete({ flow: context.flow });
	expect(previews(service)).toHaveLength(2);
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
			link === undefined ? [expect.stringMatching(/^There's no link to the preview/)] : undefined,
		);
		const lines = String(item.message).split('  \n');
		expect(lines.filter((line) => line.startsWith('Preview: '))).toEqual(
			link === undefined ? [] : [`Preview: ${link}`],
		);
		expect(lines.at(-1)).toBe('https://n8n.example/approval');
	});
});
