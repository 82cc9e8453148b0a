import { latestAgentText } from '../../shared/client/session';
import { hadNoEffect, resultOrError, WorkspaceAutomationError } from '../../shared/errors';
import { excerpt, toText } from '../../shared/values';
import { sendMessage } from './message';
import type { SessionRun } from './run';
import { passedTimeout } from '../requests/times';
import type { RunResult } from './finish';
import type { OutputFormat } from './types';

const MAX_SHOWN_REASON_LENGTH = 500;

export const addInstructions = (text: string, format: OutputFormat | undefined): string =>
	format ? `${text}\n\n${format.instructions}` : text;

/**
 * Parses a completed session's answer. If it doesn't fit, sends the agent one message with the reason, and returns undefined.
 * @throws WorkspaceAutomationError if there's no time, the message couldn't be sent, or the second answer doesn't fit either
 */
export async function applyFormat(
	run: SessionRun,
	result: RunResult,
	hasTime = true,
): Promise<RunResult | undefined> {
	const { format } = run.dependencies;
	if (!format || result.kind !== 'completed') return result;
	const text = toText(latestAgentText(result.session));
	const parsed = await format.parse(text);
	if ('output' in parsed) return { ...result, output: parsed.output };
	const { misfit } = parsed;
	const isOver =
		passedTimeout(run.wait.since, [], run.settings.timeouts, run.wallTime) === 'maxWait';
	if (run.record.isRepaired || !hasTime || isOver)
		throw misfitError(misfit, text, run.listWarnings());
	const message = addInstructions(
		`Your answer doesn't match the required format. The reason:\n${misfit}\n\nAnswer again with the same result in the required format, and with nothing else.`,
		format,
	);
	const onSent = () => run.save({ isRepaired: true });
	const failure = await resultOrError(
		sendMessage(run, `${run.sessionId} repair`, message, { onSent }),
	);
	if (!(failure instanceof WorkspaceAutomationError)) return undefined;
	if (!hadNoEffect(failure)) throw failure;
	const unsent = `The message that asks for another answer couldn't be sent: ${failure.message}. ${failure.description}`;
	throw misfitError(misfit, text, [unsent]);
}

/** A retry resumes the session, because the journal keeps it. */
function misfitError(
	misfit: string,
	text: string,
	remarks: readonly string[],
): WorkspaceAutomationError {
	const reason = excerpt(misfit, MAX_SHOWN_REASON_LENGTH);
	const start = excerpt(text) || 'nothing';
	return new WorkspaceAutomationError(
		"The result doesn't match the required format",
		`Check the output parser's format, or send the session a message with 'Continue a Session'. A retry reads the session again and starts no other one. Reason: ${reason}. The result starts with: ${start}. ${remarks.join(' ')}`.trim(),
	);
}
