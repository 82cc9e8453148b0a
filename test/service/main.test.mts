import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readOptions } from '../../local-service/options.mts';
import { apiHeaders } from '../../local-service/caller.mts';
import { http } from '../../tools/http.mts';

const main = fileURLToPath(new URL('../../local-service/main.mts', import.meta.url));

/** Runs the command until it has printed something or has ended. */
async function run(...args: string[]) {
	const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
	const ended = once(child, 'exit');
	let output = '';
	let errors = '';
	child.stdout.on('data', (chunk) => (output += chunk));
	child.stderr.on('data', (chunk) => (errors += chunk));
	await Promise.race([once(child.stdout, 'data'), ended]);
	return { child, ended, output: () => output, errors: () => errors };
}

test('--json prints one line with its address, and Ctrl-C ends it', async () => {
	const { child, ended, output } = await run('--port', '0', '--json', '--speed', '50');
	const lines = output().trim().split('\n');
	expect(lines).toHaveLength(1);
	const { baseUrl, key, controlUrl } = JSON.parse(lines[0]);
	const response = await http.get(`${baseUrl}/projects?limit=1`, { headers: apiHeaders(key) });
	expect(response.status).toBe(200);
	expect((await http.get(`${controlUrl}/seed`)).status).toBe(200);
	child.kill('SIGINT');
	expect(await ended).toEqual([0, null]);
});

test('people see the base URL and the key', async () => {
	const { child, ended, output } = await run('--port', '0');
	expect(output()).toMatch(/Base URL\s+http:\/\/127\.0\.0\.1:\d+\/v1\n\s+Key\s+wa_local_main_key/);
	child.kill('SIGTERM');
	await ended;
});

test('--dialect sets the dialect, and prints the overrides that it needs', async () => {
	const { child, ended, output } = await run('--port', '0', '--json', '--dialect', 'message-parts');
	expect(JSON.parse(output())).toMatchObject({
		overrides: { sendAgentMessage: { body: { content: [{ type: 'text', text: '{text}' }] } } },
	});
	child.kill('SIGTERM');
	await ended;
});

test('a port in use names the option that chooses another one', async () => {
	const { child, ended, output } = await run('--port', '0', '--json');
	const { port } = new URL(JSON.parse(output()).baseUrl);
	const second = await run('--port', port);
	expect(await second.ended).toEqual([1, null]);
	expect(second.errors()).toMatch(/^Choose another port, such as with `.+ --port 0`/);
	expect(second.errors()).toContain(port);
	child.kill('SIGTERM');
	await ended;
});

test('an impossible option is refused with a sentence', async () => {
	const { ended, errors } = await run('--dialect', 'klingon');
	expect(await ended).toEqual([1, null]);
	expect(errors()).toContain('klingon');
	expect(errors()).not.toContain('    at ');
});

test.each([
	['--port', 'x', '--port cannot be x'],
	['--port', '70000', '--port cannot be 70000'],
	['--late', '-1', '--late'],
	['--late=-1', '', '--late cannot be -1'],
	['--speed', '0', '--speed cannot be 0'],
	['--speed=', '', '--speed cannot be empty'],
	['--sped', '1', '--sped'],
])('%s %s is refused, naming the option', (option, value, message) => {
	expect(() => readOptions(value ? [option, value] : [option])).toThrow(message);
});
