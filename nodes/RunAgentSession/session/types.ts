import type { OptionPreferences } from '../../shared/approvals/options';
import type { ApiClient, OperationId } from '../../shared/client/operations';
import type { Session } from '../../shared/client/session';
import type { Ask, TeamSettings } from '../approval/approvers';
import type { PageLink } from '../approval/page/view';
import type { Reader } from '../approval/question';
import type { RequestOrigin } from '../approval/request';
import type { Policy } from '../policy/rules';
import type { OutputFormat } from './format';
import type { SessionJournal } from './journal';
import type { DecisionRecord, UndecidedRequest } from './ledger';
import type { PollLimits, Timeouts } from './schedule';

// The settings of one item, the dependencies of its run, and its result.

export type Target =
	| {
			operation: 'start';
			projectId: string;
			prompt: string;
			/** More fields for the body */
			extra: Record<string, unknown>;
	  }
	| { operation: 'continue'; sessionId: string; message?: string };

/** The parameters of one item, checked. */
export interface ItemSettings {
	target: Target;
	/** The facts of the approval request besides the requests */
	origin?: Omit<RequestOrigin, 'sessionId'>;
	policy: Policy;
	poll: PollLimits;
	maxWaitMs: number;
	onMaxWait: 'route' | 'abort';
	abortOnStop: boolean;
	/** More fields for the body that resolves an interaction */
	decisionBody?: Record<string, unknown>;
	/** True if the agent gets the comments from the approval page */
	sendComments?: boolean;
	/** In the Database only; undefined when the node waits in memory */
	timeouts?: Timeouts;
	/** In the Database: the approvers, if there are several */
	team?: TeamSettings;
	/** True if Completed items wait until no item is still running. In the Database only. */
	returnTogether?: boolean;
}

/** The effects of a run. Tests provide another clock and service. */
export interface RunDependencies {
	api: ApiClient;
	journal: SessionJournal;
	/** The format that the result must have, if there is one */
	format?: OutputFormat;
	/** Records durably that an effect is about to be requested. Throws if an attempt that crashed has recorded the same one. */
	mark?(operation: OperationId, step: string): Promise<void>;
	/** Returns a number from 0 to 1. */
	random(): number;
	log(message: string, about: Record<string, unknown>): void;
	/** Called when the session is known, and again when its dashboard URL is known */
	onSession(session: { sessionId: string; dashboardUrl?: string }): void;
	/** Called after each poll that shows another state */
	onProgress?(session: Session): void;
}

/** An item that asks one of several approvers. */
export interface ApproverItem extends Ask {
	/** The requests that the approver can answer with the link */
	undecided: UndecidedRequest[];
	link: PageLink;
	/** True if answers don't count anymore, because a request has changed */
	hasChanged: boolean;
}

/** The end of a run, or its state while it waits. */
export interface RunResult {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	session: Session;
	/** The parsed answer of a session that has completed, if a format is required */
	output?: unknown;
	origin?: ItemSettings['origin'];
	decisions: DecisionRecord[];
	/** The requests that are left for an approver, with the reasons */
	undecided: UndecidedRequest[];
	/** The node's words for options, with which a question names the choices */
	preferences?: OptionPreferences;
	warnings: string[];
	pollCount: number;
	durationMs: number;
	/** In the Database: wall-clock time of the next wake, in milliseconds */
	wakeAt?: number;
	/** In the Database: the link for the approver, if the node waits for an answer */
	link?: PageLink;
	/** The one of several approvers that the item is for */
	reader?: Reader;
	/** In the Database: an item for each of several approvers, instead of one for all */
	approverItems?: ApproverItem[];
}
