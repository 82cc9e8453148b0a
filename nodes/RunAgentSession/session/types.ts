import type { OptionPreferences } from '../../shared/approvals/options';
import type { Semaphore } from '../../shared/client/rateLimiter';
import type { ApiClient } from '../../shared/client/operations';
import type { FactLookup, PreviewPage } from './facts';
import type { Session } from '../../shared/client/session';
import type { ItemJournal } from '../../shared/n8n/journal';
import type { Ledger } from '../../shared/n8n/ledger';
import type { Policy } from '../policy/rules';
import type { UndecidedRequest } from '../requests/decisions';
import type { Ask, LinkAnswer, TeamSettings } from '../requests/ballots';
import type { RequestOrigin } from '../requests/request';
import type { SessionRecord } from './record';
import type { Timeouts } from '../requests/times';

/** An item for an approver, with the requests that it's about. Without a page, it's for no approver in particular. */
export interface AskedItem extends Partial<Ask> {
	undecided: UndecidedRequest[];
	/** True if answers to an earlier content don't count */
	hasChanged?: boolean;
}

/** What a session has come to. Undefined while it continues */
export interface SessionOutcome {
	kind: 'completed' | 'failed' | 'needsApproval' | 'stillRunning';
	/** The result in the required format */
	output?: unknown;
	/** Of the lookups for its item */
	warnings?: string[];
	/** `needsApproval`: an item for each approver who is asked now */
	asked?: AskedItem[];
}

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
	timeouts: Timeouts;
	sendComments?: boolean;
	/** The page that approvers and items get a link to */
	preview?: PreviewPage;
	/** Time without activity after which approvers are asked */
	quietMs?: number;
	/** True if requests get a link to the approval page */
	hasPage: boolean;
	/** An AI agent's tool returns a session that is still running instead of throwing. */
	isTool?: boolean;
	/** The approvers, if there are several. An error matters only when there's a new ballot for them. */
	team?: TeamSettings | Error;
}

export type ParsedAnswer = { output: unknown } | { misfit: string };

export interface OutputFormat {
	instructions: string;
	parse(text: string): Promise<ParsedAnswer>;
}

export interface RunDependencies {
	api: ApiClient;
	/** Returns the answers of the execution's links. */
	listAnswers?(): LinkAnswer[];
	journal: ItemJournal<SessionRecord>;
	format?: OutputFormat;
	/** The item's effects that must not happen twice */
	ledger: Ledger;
	/** Returns whether this execution has ever reached the service. */
	hasReached(): boolean;
	random(): number;
	/** Returns milliseconds since 1970, from one reading of the system clock for the whole wake, so that setting it meanwhile changes nothing. */
	wallTime(): number;
	/** ID of this execution: n8n answers a link only for the execution that it names */
	execution: string;
	/** Limits the polls at once, so that each has its whole time */
	polls: Semaphore;
	log(message: string, about: Record<string, unknown>): void;
	/** Called when the session is known, and again when its dashboard URL is known */
	onSession?(session: { sessionId: string; dashboardUrl?: string }): void;
	findFacts?: FactLookup;
	onProgress?(session: Session): void;
}

/** What reading a session and sending decisions takes */
export type DecisionSettings = Pick<ItemSettings, 'target' | 'sendComments' | 'quietMs'> & {
	policy: OptionPreferences;
	timeouts: Pick<Timeouts, 'maxWaitMs'>;
};
export type DecisionDependencies = Omit<RunDependencies, 'hasReached' | 'polls' | 'execution'>;
