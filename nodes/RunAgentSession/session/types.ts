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

export type Target =
	| {
			operation: 'start';
			projectId: string;
			prompt: string;
			/** More fields for the body */
			extra: Record<string, unknown>;
	  }
	| { operation: 'continue'; sessionId: string; message?: string };

export interface ItemSettings {
	target: Target;
	/** The facts of the approval request besides the requests */
	origin?: Omit<RequestOrigin, 'sessionId'>;
	policy: Policy;
	poll: PollLimits;
	maxWaitMs: number;
	onMaxWait: 'route' | 'abort';
	abortOnStop: boolean;
	decisionBody?: Record<string, unknown>;
	sendComments?: boolean;
	/** In the Database only */
	timeouts?: Timeouts;
	/** In the Database: the approvers, if there are several. An error matters only when there's a new question for them. */
	team?: TeamSettings | Error;
	returnTogether?: boolean;
}

export interface RunDependencies {
	api: ApiClient;
	journal: SessionJournal;
	format?: OutputFormat;
	/** Records durably that an effect is about to be requested. Throws if an attempt that crashed has recorded the same one. */
	mark?(operation: OperationId, step: string): Promise<void>;
	/** Returns a number from 0 to 1. */
	random(): number;
	log(message: string, about: Record<string, unknown>): void;
	/** Called when the session is known, and again when its dashboard URL is known */
	onSession(session: { sessionId: string; dashboardUrl?: string }): void;
	onProgress?(session: Session): void;
}

export interface ApproverItem extends Ask {
	undecided: UndecidedRequest[];
	link: PageLink;
	/** True if answers don't count anymore, because a request has changed */
	hasChanged: boolean;
}

export interface RunResult {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	session: Session;
	output?: unknown;
	origin?: ItemSettings['origin'];
	decisions: DecisionRecord[];
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
	reader?: Reader;
	/** In the Database: an item for each of several approvers, instead of one for all */
	approverItems?: ApproverItem[];
}
