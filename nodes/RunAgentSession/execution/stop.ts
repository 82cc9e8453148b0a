import type { IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import { ExecutionLedger } from '../../shared/n8n/ledger';
import { abortSession } from '../session/finish';
import { readAbortOnStop } from '../panel/read';
import type { Wake } from './batch';
import { listSessionJournals } from './journal';
import { canceledError } from './output';
import { listFailures } from './outputs';

/** Aborts every session of the execution that hasn't ended. Returns the error after Stop, which names them. */
export async function stopSessions(context: IExecuteFunctions, wake: Wake): Promise<Error> {
	const batches = [...wake.batches.values()];
	// A start in flight isn't cut off, because it may leave a session running.
	await Promise.allSettled(batches.flatMap(({ flights }) => [...flights.values()]));
	const failures = batches.flatMap(({ items }) => listFailures(items));
	const contexts = new Map(
		[context, ...batches.map((each) => each.context)].map((each) => [each.getNode().name, each]),
	);
	const sentences = await Promise.all([...contexts.values()].map(stopNode));
	return canceledError(context, failures, sentences.flat());
}

/** Returns a sentence for each session of a node. */
async function stopNode(context: IExecuteFunctions): Promise<string[]> {
	const node = context.getNode().name;
	const ledger = new ExecutionLedger(context);
	const running = listSessionJournals(context.getContext('node')).filter(
		(journal) => journal.read()?.state === 'running',
	);
	const sentences = running.map(async (journal): Promise<string> => {
		const { sessionId } = journal.read() as { sessionId: string };
		const log = (message: string) => context.logger.info(message, { sessionId, node });
		if (!readAbortOnStop(context)) {
			log(
				`The execution was stopped. Agent session ${sessionId} is still running, because Abort on Stop is off`,
			);
			return `Session ${sessionId} is still running.`;
		}
		// These requests don't use the execution's signal, which cancels every request.
		const failure = await createClient(context).then(
			async (api) => await abortSession(api, sessionId, { ignoreCancel: true }),
			(error: Error) => error,
		);
		if (!failure) {
			await ledger.of(journal.key).forget('start');
			journal.write(undefined);
			log(`The execution was stopped. Agent session ${sessionId} was aborted`);
			return `Session ${sessionId} was aborted.`;
		}
		log(
			`The execution was stopped, but agent session ${sessionId} couldn't be aborted and may still be running: ${failure.message}`,
		);
		return `Session ${sessionId} couldn't be aborted and may still be running.`;
	});
	return await Promise.all(sentences);
}
