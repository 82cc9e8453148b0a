import { latestAgentText } from '../../shared/client/session';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { excerpt, toText } from '../../shared/values';
import { formatRepairMessage } from './format';
import { sendMessage } from './message';
import type { SessionRun } from './run';
import type { RunResult } from './types';

// Repairs typed results: an answer that doesn't fit the format is repaired by one message in the same session.

/** Characters of the reason in an error */
const MAX_SHOWN_REASON_LENGTH = 500;

/**
 * Parses the answer of a session that has completed. If it doesn't fit the format, sends the agent one message with the reason.
 * @param canRepair whether there's time for another turn
 * @returns the result with its `output`, or undefined if the message was sent: the session has to be polled again
 * @throws WorkspaceAutomationError if the answer to the message doesn't fit either, or if the message couldn't be sent
 */
export async function applyFormat(
	run: SessionRun,
	result: RunResult,
	canRepair = true,
): Promise<RunResult | undefined> {
	const { format } = run.dependencies;
	if (!format || result.kind !== 'completed') return result;
	const text = toText(latestAgentText(result.session));
	const parsed = await format.parse(text);
	if ('output' in parsed) return { ...result, output: parsed.output };
	const { misfit } = parsed;
	if (run.record.messages?.repair === 'sent' || !canRepair)
		throw misfitError(run, misfit, text, run.listWarnings());
	run.save({ hasMisfit: undefined });
	const message = formatRepairMessage(misfit, format);
	const failure = await resultOrError(sendMessage(run, 'repair', message, result.session));
	if (!(failure instanceof WorkspaceAutomationError)) return undefined;
	if (!hadNoEffect(failure)) throw failure;
	const unsent = `The message that asks for another answer couldn't be sent: ${failure.message}. ${failure.description}`;
	throw misfitError(run, misfit, text, [unsent]);
}

/** Returns the error for an answer that doesn't fit. A retry resumes the session, because the journal keeps it. */
function misfitError(
	run: SessionRun,
	misfit: string,
	text: string,
	remarks: readonly string[],
): WorkspaceAutomationError {
	run.save({ hasMisfit: true });
	const reason = excerpt(misfit, MAX_SHOWN_REASON_LENGTH);
	const start = excerpt(text) || 'nothing';
	return new WorkspaceAutomationError(
		"The result doesn't match the required format",
		`Check the output parser's format, or send the session a message with 'Continue a Session'. A retry reads the session again and starts no other one. Reason: ${reason}. The result starts with: ${start}. ${remarks.join(' ')}`.trim(),
	);
}
