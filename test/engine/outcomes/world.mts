// A service that speaks dialects, and what someone in n8n does with it: every node, trigger, picker and the credential's test.
import type { IDataObject } from 'n8n-workflow';
import { createService } from '../../../local-service/app.mts';
import { controlWithin, type ControlClient } from '../../../local-service/control/client.mts';
import type { SeedView, SessionView } from '../../../local-service/control/views.mts';
import { settingsFor } from '../../../local-service/dialects/index.mts';
import { namedOperations } from '../../../openapi/contract.mts';
import { createVirtualTime } from '../virtualTime.mts';
import { operation, options, poller, run, search, type Execution, type Setup } from '../engine.mts';
import { mainToken } from '../../../local-service/auth.mts';
import { credentialFor } from '../../../local-service/caller.mts';
import { byId } from '../../../n8n-host/workflows.mts';
import { itemsOn, type OutputKey } from '../runAgentSession.mts';
import { oneQuery } from '../../support/oneQuery.mts';
import { serviceTime } from '../../support/virtualClock.mts';

/** More than a page of 100, of everything that lists hold */
const MANY = 110;
const COUNTS = { files: 230, others: MANY };

let services = 0;

export interface World {
	control: ControlClient;
	/** What the service has now */
	readonly seed: SeedView;
	sessions(): SessionView[];
	projectId: string;
	siteId: string;
	/** A folder with more files than two pages hold */
	folderId: string;
	credentials: { baseUrl: string; accessToken: string; apiVersion: string; overrides: string };
	/** Errors that the service reports about itself */
	problems: string[];
	/** Returns the operations that the service has received since the last time, each once. */
	asked(): string[];
	/** Lets what shows late become visible. */
	settle(): void;
	/** Runs an operation. @throws what the node failed with, or a warning that an item has */
	operation(does: string, parameters?: IDataObject, more?: Partial<Setup>): Promise<any[]>;
	/** Runs Run Agent Session. @throws what the node failed with */
	session(parameters: IDataObject): Promise<{ output?: OutputKey; json: any }>;
	/** The entries of a picker, all pages of it */
	pick(node: string, method: string, parameters?: IDataObject): Promise<unknown[]>;
	/** The entries of a multiple selection */
	choose(method: string): Promise<unknown[]>;
	trigger(event: string, parameters?: IDataObject): { poll(): Promise<any[]> };
	/** A request of n8n's own, as the credential's test sends it */
	request(path: string, headers: Record<string, string>): Promise<{ status: number; body: string }>;
	close(): Promise<void>;
}

export { byId };

/** @param names of the dialects that the service speaks
 * @param told whether the credential and the node have the settings that the dialects need */
export async function createWorld(names: string[], told: boolean): Promise<World> {
	const time = createVirtualTime();
	const problems: string[] = [];
	const { app, seed, sessions, changes } = createService({
		clock: serviceTime(time),
		dialects: names,
		clickHouse: oneQuery('seven', 7),
		traffic: () => ({ events: [], rates: [] }),
		log: (problem) => problems.push(problem),
	});
	let received: string[] = [];
	app.addHook('onRequest', async ({ method, url }) => {
		received.push(`${method} ${url.replace(/^\/v1|\?.*/g, '')}`);
	});
	// Its own host: what the package remembers of one service says nothing about the next.
	const host = `service-${++services}.test`;
	time.serve(host, app);
	const control = controlWithin(app);
	const [{ id: projectId }] = seed().projects;
	const [{ id: siteId }] = seed().sites;
	const { folderId } = await control.fillFiles(projectId, COUNTS.files);
	for (let n = 0; n < COUNTS.others; n++) {
		changes.tasks.add({ projectId, title: `Task ${n}` });
		changes.products.add({ projectId, name: `Product ${n}` });
		changes.domains.add({ siteId, domain: `d${n}.example` });
	}
	// A preview can be shared where an agent has worked.
	await control.startSession({ projectId, prompt: '[say Ready]' });
	time.advance(60_000);
	const credentials = credentialFor({
		baseUrl: `https://${host}/v1`,
		key: mainToken,
		overrides: told ? settingsFor(names) : {},
	});
	const setup = (node: string, parameters: IDataObject): Setup => ({
		node,
		parameters,
		credentials,
	});
	const getOutputs = ({ outputs, error }: Execution) => {
		if (error) throw error;
		return outputs;
	};

	const world: World = {
		control,
		get seed() {
			return seed();
		},
		sessions,
		projectId,
		siteId,
		folderId,
		credentials,
		problems,
		asked() {
			const paths = received;
			received = [];
			return namedOperations
				.filter(({ method, path }) => {
					const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
					return paths.some((one) => pattern.test(one));
				})
				.map(({ operationId }) => operationId);
		},
		settle: () => time.advance(60_000),
		async operation(does, parameters = {}, more) {
			const given = operation(does, parameters, credentials, more);
			const outputs = getOutputs(await time.run(async () => await run(given)));
			// A warning on an item tells a user as much as an error does.
			const [warning] = outputs[0].flatMap(({ json }) => (json.warnings ?? []) as string[]);
			if (warning !== undefined) throw new Error(warning);
			return outputs[0].map(({ json, ...item }) => Object.assign(json, item));
		},
		async session(parameters) {
			const given = { whileWaiting: 'keepRunning', maxWait: 5, onMaxWait: 'letRun', ...parameters };
			const execution = await time.run(async () => await run(setup('runAgentSession', given)));
			const output = (['needsApproval', 'completed'] as const).find(
				(each) => itemsOn(execution, each).length > 0,
			);
			// Nobody answers here, so a session that asks fails later.
			if (output !== 'needsApproval') getOutputs(execution);
			return { output, json: output && itemsOn(execution, output)[0].json };
		},
		pick: async (node, method, parameters = {}) =>
			await time.run(async () => {
				const found: unknown[] = [];
				let token: unknown;
				do {
					const page = await search(setup(node, parameters), method, undefined, token);
					found.push(...page.results.map(({ value }) => value));
					token = page.paginationToken;
				} while (token !== undefined && found.length < 2000);
				return found;
			}),
		choose: async (method) =>
			await time.run(async () =>
				(await options(setup('workspaceAutomationTrigger', {}), method)).map(({ value }) => value),
			),
		trigger(event, parameters = {}) {
			const polling = poller(setup('workspaceAutomationTrigger', { event, ...parameters }));
			return {
				async poll() {
					time.advance(60_000);
					return (await time.run(async () => await polling.poll())) ?? [];
				},
			};
		},
		async request(path, headers) {
			const { statusCode, body } = await app.inject({
				url: path,
				headers: { authorization: `Bearer ${credentials.accessToken}`, ...headers },
			});
			return { status: statusCode, body };
		},
		close: async () => await app.close(),
	};
	return world;
}
