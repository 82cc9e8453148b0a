import type { NodeHint } from 'n8n-workflow';

// The condition runs in the editor whenever somebody types, so its patterns take time in proportion to the query's length.

/** Comments and strings, which run to the end of the query if nothing closes them */
const TEXT = String.raw`/--.*|\/\/.*|#[ !].*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\]|\\[^]?)*(?:'|$)/g`;

/** A call without calls in its arguments */
const CALL = String.raw`/\b\w+\s*\([^()]*\)/g`;

const MERGE = String.raw`/^\w*(?:merge|finalizeAggregation)/i`;

const STATE = String.raw`/\b\w+_state\b/`;

/**
 * Shown in the panel as soon as the query reads an aggregate state without a merge function: the service answers such a query,
 * but with bytes that nobody can read (API document, POST /analytics/query, rule 5).
 */
export const bareState: NodeHint = {
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	message:
		'Columns that end in _state hold intermediate results. Read them with their merge function and group by the other columns: countMerge(views_state), uniqMerge(unique_sessions_state), sumMerge(total_revenue_usd_state).',
	displayCondition: `={{ $parameter["resource"] === "analytics" && ${STATE}.test(String($rawParameter["query"] ?? "").replace(${TEXT}, " ").replace(${CALL}, (call) => ${MERGE}.test(call) ? " " : call)) }}`,
};
