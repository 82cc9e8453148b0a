import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { createClient } from '../../shared/client/createClient';
import { ExecutionLedger, FIRST_EFFECTS } from '../../shared/n8n/ledger';
import { abortSession } from '../session/finish';
import { readAbortOnStop } from '../panel/readSettings';
import { landFlights, type Wake } from './batch';
import type { Engine } from './engine';
import { listSessionJournals, sessionOf, type SessionJournal } from './itemRecords';
import { canceledError } from './itemJson';
import { listFailures } from './itemEnds';

/**
 * Aborts every session of the execution that hasn't ended, also of nodes and entries that haven't run in this wake.
 * @returns the error after Stop, which names them
 */
export async function stopSessions(
	context: IExecuteFunctions,
	engine: Engine,
	wake: Wake,
): Promise<Error> {
	await landFlights(wake);
	const failures = [...wake.batches.values()].flatMap(({ items }) => listFailures(items));
	const own = { [`node:${context.getNode().name}`]: context.getContext('node') };
	const nodes = Object.entries({ ...engine.contexts, ...own });
	const sentences = await Promise.all(
		nodes.map(async ([key, nodeContext]) => {
			const name = key.replace(/^node:/, '');
			return await stopNode(name, nodeContext, engine.openContext(name), context.logger);
		}),
	);
	return canceledError(context, failures, sentences.flat());
}

/** Returns a sentence for each session of a node. */
async function stopNode(
	node: string,
	nodeContext: IDataObject,
	context: IExecuteFunctions | undefined,
	logger: IExecuteFunctions['logger'],
): Promise<string[]> {
	const running = listSessionJournals(nodeContext).filter(
		(journal) => journal.read()?.state === 'running',
	);
	const sentences = running.map(async (journal): Promise<string> => {
		const { sessionId } = sessionOf(journal.read());
		const log = (message: string) => logger.info(message, { sessionId, node });
		if (context && !readAbortOnStop(context)) {
			log(
				`The execution was stopped. Agent session ${sessionId} is still running, because Abort on Stop is off`,
			);
			return `Session ${sessionId} is still running.`;
		}
		const failure = await (context ? abort(context, journal) : new Error('n8n offers no context'));
		if (!failure) {
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

/** Aborts a session, and removes its record. Returns the error if that failed. */
async function abort(
	context: IExecuteFunctions,
	journal: SessionJournal,
): Promise<Error | undefined> {
	const { sessionId = '' } = sessionOf(journal.read());
	// These requests don't use the execution's signal, which cancels every request.
	const failure = await createClient(context).then(
		async (api) => await abortSession(api, sessionId, { ignoreCancel: true }),
		(error: Error) => error,
	);
	if (failure) return failure;
	const ledger = new ExecutionLedger(context).of(journal.key);
	for (const effect of FIRST_EFFECTS) await ledger.forget(effect);
	journal.write(undefined);
	return undefined;
}
