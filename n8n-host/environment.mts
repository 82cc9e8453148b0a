// The environment of the host's n8n: what it needs to run alone on loopback, and nothing that makes it call home.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment } from './guarded.mts';
import { hostFolder, hostVersion, type HostVersion } from './versions.mts';

/** Settings of the developer's own n8n, npm or proxy must not reach this one; under jest's NODE_ENV=test n8n does not start. */
const NOT_INHERITED =
	/^(NODE_ENV$|JEST_|N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|CREDENTIALS_|WEBHOOK_|NODE_OPTIONS$|npm_|(https?|all)_proxy$)/i;

/** Settings of one version only */
const OF_VERSION: Record<HostVersion, NodeJS.ProcessEnv> = {
	// On a busy machine, n8n would take its own database for lost, and answer every request with 503.
	'2.41': { DB_PING_TIMEOUT_MS: '60000' },
	'1.123': {
		DB_PING_INTERVAL_SECONDS: '3600', // the same, where the time of a ping is fixed
		// By default, all its writes share one connection to SQLite: two transactions at once are one, and n8n answers 500 or loses what it wrote.
		DB_SQLITE_POOL_SIZE: '2',
	},
};

/** Modules that no test wants. The first calls home. The second fails an execution whose pause ends while n8n starts (docs/troubleshoot.md). */
const UNWANTED = ['mcp-registry', 'otel'];

/** Modules that people use or set up in the editor */
const OF_EDITOR = [
	'agents',
	'breaking-changes',
	'chat-hub',
	'dynamic-credentials',
	'external-secrets',
	'favorites',
	'insights',
	'instance-ai',
	'instance-version-history',
	'ldap',
	'log-streaming',
	'mcp',
	'n8n-packages',
	'oauth-server',
	'policy-infrastructure',
	'provisioning',
	'quick-connect',
	'redaction',
	'runtime-credentials',
	'source-control',
	'sso-oidc',
	'sso-saml',
	'token-exchange',
	'workflow-builder',
	'workflow-reviews',
];

/** Returns the modules that this n8n has. It doesn't start if a setting disables one that it doesn't have. */
function existing(modules: string[], version: HostVersion): string[] {
	const folder = join(hostFolder(version), 'node_modules', 'n8n', 'dist', 'modules');
	return modules.filter((name) =>
		[name, `${name}.ee`].some((each) => existsSync(join(folder, each))),
	);
}

export interface HostPorts {
	editor: number;
	/** Task runners; every instance wants its own */
	broker: number;
}

/** For an n8n whose editor nobody opens, and that runs no Code node: half of the work of its start is for these. */
export const WITHOUT_EDITOR: NodeJS.ProcessEnv = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_ENABLED: 'false', // n8n 1
	// n8n 2 always expects runners; nobody starts these.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'unused',
};

/** The environment for `n8n start`. */
export function hostEnvironment(
	userFolder: string,
	ports: HostPorts,
	more: NodeJS.ProcessEnv = {},
	version: HostVersion = hostVersion(),
): NodeJS.ProcessEnv {
	const inherited = Object.entries(nodeEnvironment()).filter(([name]) => !NOT_INHERITED.test(name));
	const url = hostUrl(ports);
	const disabled = more.N8N_DISABLE_UI ? [...UNWANTED, ...OF_EDITOR] : UNWANTED;
	return {
		...Object.fromEntries(inherited),

		// Each start would compile n8n again.
		NODE_COMPILE_CACHE: fileURLToPath(new URL('../.cache/compiled', import.meta.url)),

		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(ports.editor),
		N8N_RUNNERS_BROKER_PORT: String(ports.broker),
		N8N_EDITOR_BASE_URL: url,
		WEBHOOK_URL: url,
		N8N_SECURE_COOKIE: 'false', // plain http, loopback only
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '2',

		// Nothing calls home.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_AI_ENABLED: 'false',

		// No login or survey is in front of the workflow.
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',

		...OF_VERSION[version],
		N8N_DISABLED_MODULES: existing(disabled, version).join(),
		...more,
	};
}

/** Returns the editor's URL of a host on these ports. */
export function hostUrl(ports: HostPorts): string {
	return `http://127.0.0.1:${ports.editor}`;
}
