// The real n8n in queue mode: a main, workers that run the executions, and between them Redis and
// PostgreSQL. Here all of them share one machine, each with its own user folder and its own copy of the package.
import { randomBytes } from 'node:crypto';
import { ensurePackages, postgresPackage, redisPackage } from './debian.mts';
import { hostUrl } from './environment.mts';
import { freeHostPorts, startHost, startN8n, type HostOptions, type OwnHost } from './host.mts';
import type { Log } from './pinned.mts';
import { startPostgres, type Postgres } from './postgres.mts';
import { startRedis, type Redis } from './redis.mts';
import { HANG_MS } from './hang.mts';

interface Closing {
	close(): Promise<void>;
}

export interface QueueOptions {
	/** The package as published, for the main and every worker. The folder is needed for as long as workers are added. */
	packageDir: string;
	/** Executions that a worker runs at the same time */
	concurrency?: number;
	/** Further environment for the main and the workers */
	env?: NodeJS.ProcessEnv;
	/** Factor by which the clocks of the main and the workers run faster, and their start */
	clock?: HostOptions['clock'];
}

interface Worker {
	/** The ids of the executions that it has started, in their order */
	readonly executions: readonly string[];
	/** As kill -9 does it: it can save nothing and tell nobody. */
	kill(): Promise<void>;
}

/** A host whose executions, those by hand too, run on its workers */
export interface QueueHost extends OwnHost {
	workers: readonly Worker[];
	/** One more, as when another machine joins */
	addWorker(): Promise<Worker>;
	/** Starts the main again, which has been killed */
	restartMain(): Promise<void>;
}

/** Installs Redis and PostgreSQL if they are missing. Throws, naming the packages, if it cannot. */
export async function ensureQueue({ log }: { log: Log }): Promise<void> {
	await ensurePackages([redisPackage, postgresPackage], log);
}

/** Starts all of it. Needs `ensureHost` and `ensureQueue` to have been called. */
export async function startQueueHost({
	packageDir,
	concurrency = 10,
	env = {},
	clock,
}: QueueOptions): Promise<QueueHost> {
	const started: Closing[] = [];
	/** Backwards: what others need goes last. */
	const close = async () => {
		for (const one of started.splice(0).reverse()) await one.close();
	};
	const keep = async <T extends Closing>(starting: Promise<T>): Promise<T> => {
		const one = await starting;
		started.push(one);
		return one;
	};

	try {
		const [redis, postgres] = await all([keep(startRedis()), keep(startPostgres())]);
		const ports = await freeHostPorts();
		const environment = { ...queueEnvironment(redis, postgres, hostUrl(ports)), ...env };
		const shared = { packageDir, env: environment, clock };
		// The main first: it is the one that sets up the database. It keeps its address, and so anyone who is logged in.
		let main = await keep(startHost({ ...shared, ports }));
		const restartMain = async () => {
			main = await keep(startHost({ ...shared, ports, login: main.login }));
		};
		const workers: Worker[] = [];
		const addWorker = async (): Promise<Worker> => {
			const worker = await keep(startWorker(shared, concurrency));
			workers.push(worker);
			return worker;
		};
		await all([addWorker(), addWorker()]);
		const kill = async () => await main.kill();
		return { ...main, kill, workers, addWorker, restartMain, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** As `Promise.all`, but when it throws nothing is still starting. */
async function all<T extends Array<Promise<any>>>(promises: [...T]) {
	await Promise.allSettled(promises);
	return await Promise.all(promises);
}

/** Shared settings of the main and all workers. */
function queueEnvironment(redis: Redis, postgres: Postgres, url: string): NodeJS.ProcessEnv {
	return {
		EXECUTIONS_MODE: 'queue',
		// Links that a worker makes lead to the main.
		WEBHOOK_URL: url,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_USER: postgres.user,
		DB_POSTGRESDB_DATABASE: postgres.database,
		// n8n has two connections, and by default a query waits 20 s for one of them. A busy machine can need longer.
		DB_POSTGRESDB_CONNECTION_TIMEOUT: String(HANG_MS),
		// Otherwise manual executions would run on the main.
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	};
}

async function startWorker(options: HostOptions, concurrency: number): Promise<Worker & Closing> {
	const executions: string[] = [];
	let announce = () => {};
	const ready = new Promise<void>((resolve) => (announce = resolve));
	const readLog = (line: string) => {
		if (line.includes('n8n worker is now ready')) announce();
		const id = /Worker started execution (\d+) /.exec(line)?.[1];
		if (id) executions.push(id);
	};

	const n8n = startN8n(['worker', `--concurrency=${concurrency}`], await freeHostPorts(), {
		...options,
		log: readLog,
	});
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<string>((resolve) => {
		timer = setTimeout(() => resolve(`it was not ready within ${HANG_MS / 1000} s`), HANG_MS);
	});
	const trouble = await Promise.race([
		ready,
		late,
		n8n.exited.then((code) => `it ended with exit code ${code}`),
	]);
	clearTimeout(timer);
	if (trouble) {
		await n8n.stop();
		throw new Error(`A worker of n8n did not start: ${trouble}\n${n8n.tail()}`);
	}
	return { executions, kill: n8n.kill, close: n8n.stop };
}
