// Types of a dialect: another way to fill the gaps of the API document, as a table of differences.
import type { Option } from '../agent/directives.mts';
import type { Lateness } from '../lateness.mts';
import type { OperationId, RequestTemplate } from './assumed-requests.mts';
import type { Template } from './templates.mts';

/** An operation's entry in the credential's Overrides, in their format. */
export interface Override extends Partial<RequestTemplate> {
	/** `Service-Api-Version` */
	version?: string;
	/** Places of the nodes' values in the response, as dotted paths by our name: `{"sessionId": "data.run_id"}` */
	response?: Record<string, string>;
	/** The service's words, by our name: `{"approve": "go"}` */
	words?: Record<string, string>;
}

export type Overrides = Partial<Record<OperationId | 'answerQuestion', Override>>;

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

/** The options that every approval request offers, unless the prompt names others. */
export type OptionWords = Record<'once' | 'always' | 'reject', Option>;

export interface Paging {
	/** Entries of a page where the request does not say how many */
	usual?: number;
	/** Entries of a page, for any limit in the request */
	most?: number;
	newestFirst?: boolean;
}

export interface Dialect {
	/** One line for people: what differs */
	summary: string;
	/** Dialects of one group contradict each other, so a service speaks at most one of them */
	group?: string;
	/**
	 * Differences of requests, in the format of Overrides. `query` and `body` name only what differs: every placeholder in them moves
	 * from its assumed place to the one that it has here.
	 */
	requests?: Partial<Record<OperationId, Omit<Override, 'response' | 'words'>>>;
	/** Differences of the body that answers a question, as in `requests` */
	questionAnswer?: Template;
	/** Differences of successful answers */
	answers?: Partial<Record<OperationId, ChangeAnswer>>;
	/** Places for the nodes to read in these answers, if they can't know them: the `response` of Overrides */
	readAt?: Partial<Record<OperationId, Record<string, string>>>;
	/** Write the ids of products and assets */
	ids?: { product: WriteId; asset: WriteId };
	optionWords?: OptionWords;
	/** The service's words for ours, if the nodes can't know them: the `words` of Overrides */
	words?: Partial<Record<OperationId, Record<string, string>>>;
	/** True if unknown names in a request are ignored. Otherwise our names are refused if they differ. */
	ignores?: boolean;
	/** Paging of lists, if it differs from ours */
	paging?: Paging;
	/** Delays of changes */
	lateness?: Lateness;
}
