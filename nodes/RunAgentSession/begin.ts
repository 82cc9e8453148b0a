import { interruptedEarlier } from '../shared/api/sessions';
import { hadNoEffect, WorkspaceAutomationError } from '../shared/base/errors';
import { read } from './polling';
import type { Run, Target } from './run';
import { turnAfter } from './turn';

// How a run begins: a session is started or a message sent, each once, however often n8n tries the node.

/** For a start, however short Max Wait is: cut off, it would leave a session that nobody knows. */
const START_MS = 120_000;

/** Lets a retry send again what is known not to have been sent or to have been refused; of the rest the log tells. */
async function whileSending<T>(run: Run, sending: Promise<T>): Promise<T> {
	return await sending.catch((error: unknown) => {
		if (hadNoEffect(error)) run.dependencies.journal.clear();
		else run.log(`It is not known what became of a request: ${(error as Error).message}`);
		throw error;
	});
}

/** Starts the session, unless an earlier try of this execution did. Returns whether it makes sense to read it at once. */
async function start(run: Run, target: Extract<Target, { operation: 'start' }>): Promise<boolean> {
	const { api, clock, onSession } = run.dependencies;
	const { sessionId: earlier, dashboardUrl, state } = run.entry;
	if (earlier) {
		run.log(`Continuing agent session ${earlier}, which an earlier try started`);
		onSession({ sessionId: earlier, dashboardUrl });
		return true;
	}
	if (state === 'sending') throw interruptedEarlier('createAgentSession');
	run.note({ state: 'sending' });
	const deadline = Math.max(run.deadline, clock.now() + START_MS);
	const sessionId = await whileSending(run, api.start(target, { deadline }));
	run.note({ state: 'sent', sessionId, projectId: target.projectId });
	run.log(`Agent session ${sessionId} started`, { projectId: target.projectId });
	onSession({ sessionId });
	return false;
}

/** Joins an existing session and gives it the message, unless an earlier try of this execution did. */
async function join(
	run: Run,
	{ sessionId, message }: Extract<Target, { operation: 'continue' }>,
): Promise<boolean> {
	const { api, clock, onSession } = run.dependencies;
	onSession({ sessionId });
	if (message === undefined || run.entry.state === 'sent') return true;
	if (run.entry.state === 'sending') throw interruptedEarlier('sendAgentMessage');
	const before = await read(run);
	if (!before)
		throw new WorkspaceAutomationError(
			'The session could not be read, so the message was not sent',
			[...run.warnings].join(' '),
		);
	run.note({ state: 'sending' });
	await whileSending(run, api.sendMessage(before, message, { deadline: run.deadline }));
	run.note({ state: 'sent', turn: turnAfter(before, clock.now()) });
	run.log(`Message sent to agent session ${sessionId}`);
	return false;
}

/** Starts or joins the session that the job is about. Returns whether it makes sense to read it at once. */
export const begin = async (run: Run): Promise<boolean> => {
	const { target } = run.job;
	return target.operation === 'start' ? await start(run, target) : await join(run, target);
};
