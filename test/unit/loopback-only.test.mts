// Which requests the host's n8n answers: a web page that had its own name resolved to this machine gets nothing.
import { expect, test } from '@jest/globals';
import { isLoopback } from '../../n8n-host/loopbackOnly.mts';

test.each(['127.0.0.1:5678', 'localhost', 'LOCALHOST:80', '[::1]:5678'])('%s is answered', (host) =>
	expect(isLoopback(host)).toBe(true),
);

test.each([
	'evil.example:5678',
	'127.0.0.1.evil.example',
	'localhost.evil.example:5678',
	'0.0.0.0:5678',
	'127.0.0.1:5678.evil.example',
	'',
	undefined,
])('%s is not answered', (host) => expect(isLoopback(host)).toBe(false));
