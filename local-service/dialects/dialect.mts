// What a dialect is: one way of filling the gaps of the API document that differs from ours, as a table of differences.
import type { Option } from '../agent/directives.mts';
import type { ErrorEnvelope } from '../errors.mts';
import type { FaultRule } from '../faults.mts';
import type { Lateness } from '../lateness.mts';
import type { OperationId, RequestTemplate } from './assumed-requests.mts';

/** What the credential's Overrides say about an operation, in their own format. */
export interface Override extends Partial<RequestTemplate> {
	/** `Service-Api-Version` */
	version?: string;
	/** Where the answer has what the nodes need, as dotted paths by our name: `{"sessionId": "data.run_id"}` */
	answer?: Record<string, string>;
}

export type Overrides = Partial<Record<OperationId, Override>>;

/** A successful answer on its way from our form to the dialect's. */
export interface DialectAnswer {
	status: number;
	headers: Record<string, string>;
	/** Undefined for none */
	body: unknown;
}

export type ChangeAnswer = (answer: DialectAnswer) => DialectAnswer;

/** Writes an id, given the thing's number: 1 for the first one that was created. */
export type WriteId = (n: number) => string | number;

/** The options that every permission request offers, unless the prompt names others. */
export type OptionWords = Record<'once' | 'always' | 'reject', Option>;

/** An error as the service writes it. A text is sent as it is, everything else as JSON. */
export type WriteError = (error: ErrorEnvelope['error']) => unknown;

export interface Paging {
	/** Lists are returned whole, whatever the request says about pages */
	whole?: boolean;
	/** Entries of a page where the request does not say how many */
	usual?: number;
	/** Entries of a page, whatever the request says */
	most?: number;
	newestFirst?: boolean;
}

export interface Dialect {
	/** One line for people: what differs */
	summary: string;
	/** Dialects of one group contradict each other, so a service speaks at most one of them */
	group?: string;
	/**
	 * How requests differ, in the format of Overrides. `query` and `body` name only what differs: every placeholder in them moves
	 * from its assumed place to the one that it has here.
	 */
	requests?: Partial<Record<OperationId, Omit<Override, 'answer'>>>;
	/** How successful answers differ */
	answers?: Partial<Record<OperationId, ChangeAnswer>>;
	/** Where the nodes must read in these answers, if they cannot know: the `answer` of Overrides */
	readAt?: Partial<Record<OperationId, Record<string, string>>>;
	/** Writes every error */
	error?: WriteError;
	/** Write the ids of products and assets */
	ids?: { product: WriteId; asset: WriteId };
	optionWords?: OptionWords;
	/** Options of Run Agent Session without which it leaves such options to a human */
	nodeOptions?: { approveValues: string; denyValues: string };
	/** Writes every timestamp of tasks, sessions and custom domains; those of files are documented */
	timestamp?: (milliseconds: number) => string | number;
	/** What is not known in a request is ignored; otherwise a name of ours that differs here is refused */
	ignores?: boolean;
	/** How lists are cut into pages, where it is not as we assume */
	paging?: Paging;
	/** What stands between the service and its callers, and answers instead of it */
	between?: Partial<Record<OperationId, Pick<FaultRule, 'kind' | 'process'>>>;
	/** How late changes show */
	lateness?: Lateness;
}
