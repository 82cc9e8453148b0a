import { createClient } from '../../shared/client/createClient';
import { abortSession } from '../session/finish';
import { readAbortOnStop } from '../panel/read';
import type { Batch } from './batch';
import { listSessionJournals } from './journal';
import { canceledError } from './output';

/** Aborts every session of this node that hasn't ended. Returns the error after Stop, which names those that may still be running. */
export async function stopSessions({ context, items, ledger }: Batch): Promise<Error> {
	const failures = items.flatMap(({ itemIndex, error }) => (error ? [{ itemIndex, error }] : []));
	const running = listSessionJournals(context.getContext('node')).filter(
		(journal) => journal.read()?.state === 'running',
	);
	const sentences = await Promise.all(
		running.map(async (journal) => {
			const { sessionId } = journal.read() as { sessionId: string };
			const log = (message: string) =>
				context.logger.info(message, { sessionId, node: context.getNode().name });
			if (!readAbortOnStop(context)) {
				log(
					`The execution was stopped. Agent session ${sessionId} is still running, because Abort on Stop is off`,
				);
				return undefined;
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
				return undefined;
			}
			log(
				`The execution was stopped, but agent session ${sessionId} couldn't be aborted and may still be running: ${failure.message}`,
			);
			return `Session ${sessionId} couldn't be aborted and may still be running.`;
		}),
	);
	return canceledError(
		context,
		failures,
		sentences.filter((sentence) => sentence !== undefined),
	);
}
