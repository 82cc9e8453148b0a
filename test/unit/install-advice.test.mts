import { expect, test } from '@jest/globals';
import { adviseInstallation } from '../../tools/installAdvice.mts';

test.each([
	[
		'npm error code ENOTFOUND\nnpm error network request to https://registry.example failed',
		/^Set npm's registry or proxy/,
	],
	['npm error code SELF_SIGNED_CERT_IN_CHAIN', /^Set npm's registry or proxy/],
	['npm error gyp ERR! find Python', /^Install a C\+\+ compiler and Python/],
	['npm error code ENOSPC', /^Free some disk space/],
	['No space left: n8n 2.41.1 needs 3 GB, and /n8n has 1.2 GB.', /^Free some disk space/],
	['something else', /^Try again/],
])(
	'a failed installation says in one sentence what to do, and what works without n8n: %s',
	(log, advice) => {
		const said = adviseInstallation(log);
		expect(said).toMatch(advice);
		expect(said).toContain('npm run demo -- --once');
		expect(said.match(/\. |\.$/g)).toHaveLength(1);
	},
);
