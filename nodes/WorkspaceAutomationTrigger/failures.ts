import type { Failure, WorkflowActivateMode } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../shared/base/errors';
import { isRefusal } from '../shared/transport/evidence';

// What a poll that failed comes to. Decisions only.

/** A mistake of the user that the next poll would find again */
export class MistakeError extends WorkspaceAutomationError {}

/** In how many polls in a row a service in trouble is waited for */
const PATIENCE = 2;

export interface Situation {
	/** Why n8n has switched the trigger on; the same for all of its polls */
	activation: WorkflowActivateMode;
	isFirst: boolean;
	hasBaseline: boolean;
	/** Polls that failed in a row, this one included */
	failures: number;
}

/** Whether the next poll may find what this one has not: the service is in trouble, or what is watched is not found for now. */
function mayPass(error: unknown): boolean {
	if (!(error instanceof WorkspaceAutomationError) || error instanceof MistakeError) return false;
	const { httpStatus } = error.context;
	return httpStatus === undefined || httpStatus === 404 || !isRefusal(httpStatus);
}

/**
 * Whether a failed poll is an error, as against a warning in the log. An error in the first poll after a start of n8n switches the
 * trigger off for good (n8n 2.41), so nothing is one there; and where a user has just switched it on, it says at once what is wrong.
 */
export function isError(
	error: unknown,
	{ activation, isFirst, hasBaseline, failures }: Situation,
): boolean {
	const isStart = activation === 'init' || activation === 'leadershipChange';
	if (isStart && isFirst) return false;
	return !mayPass(error) || (!hasBaseline && !isStart) || failures > PATIENCE;
}

/** What n8n 2.41 wants to know of a failure, to decide when it polls again. */
export function failureOf(error: unknown): Failure {
	const { httpStatus: status, retryAfter } =
		error instanceof WorkspaceAutomationError ? error.context : {};
	const retryAfterMs = retryAfter === undefined ? undefined : retryAfter * 1000;
	if (status === 429) return { cause: 'rate-limited', retryAfterMs };
	if (status === 401 || status === 403) return { cause: 'credential-invalid' };
	if (!mayPass(error) || status === 404) return { cause: 'configuration-invalid' };
	return { cause: 'temporarily-unavailable' };
}
