import type { Failure, WorkflowActivateMode } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../shared/errors';
import { isPassingRefusal, isRejection } from '../shared/client/retryPolicy';

/** An error of the user that the next poll would find again */
export class ConfigurationError extends WorkspaceAutomationError {}

/** Consecutive failures that are only logged while the service is in trouble */
const MAX_QUIET_FAILURES = 2;

interface PollSituation {
	/** The reason why n8n started the trigger, the same for all of its polls */
	activation: WorkflowActivateMode;
	isFirst: boolean;
	hasBaseline: boolean;
	/** Consecutive failed polls, including this one */
	failures: number;
}

/** Returns whether the next poll may succeed: the service is in trouble, or the watched things aren't found for now. */
function isTransient(error: unknown): boolean {
	if (!(error instanceof WorkspaceAutomationError) || error instanceof ConfigurationError)
		return false;
	const { httpStatus } = error.context;
	const isFound = httpStatus !== undefined && httpStatus !== 404;
	return !isFound || !isRejection(httpStatus) || isPassingRefusal(error);
}

/** Returns whether to throw: at once after publishing, never in the first poll after n8n starts, as it would end the trigger (2.41). */
export function shouldThrow(
	error: unknown,
	{ activation, isFirst, hasBaseline, failures }: PollSituation,
): boolean {
	const isStart = activation === 'init' || activation === 'leadershipChange';
	if (isStart && isFirst) return false;
	return !isTransient(error) || (!hasBaseline && !isStart) || failures > MAX_QUIET_FAILURES;
}

/** Describes a failure for n8n 2.41, which decides about its next poll. */
export function toPollFailure(error: unknown): Failure {
	const { httpStatus: status, retryAfter } =
		error instanceof WorkspaceAutomationError ? error.context : {};
	const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 401 || status === 403) return { cause: 'credential-invalid' };
	if (!isTransient(error) || status === 404) return { cause: 'configuration-invalid' };
	return { cause: 'temporarily-unavailable' };
}
