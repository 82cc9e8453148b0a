import type { NodeHint } from 'n8n-workflow';

/**
 * Shown in the panel as soon as the query names an aggregate state outside of a merge function: the service answers such a query, but with
 * bytes that nobody can read (API document, POST /analytics/query, rule 5).
 */
export const bareState: NodeHint = {
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	message:
		'Columns that end in _state hold intermediate results. Read them with their merge function and group by the other columns: countMerge(views_state), uniqMerge(unique_sessions_state), sumMerge(total_revenue_usd_state).',
	displayCondition:
		'={{ $parameter["resource"] === "analytics" && /\\b\\w+_state\\b/.test(String($rawParameter["query"] ?? "").replace(/--.*|\\w*(merge|finalizeAggregation)\\w*\\s*\\([^()]*\\)/gi, "")) }}',
};
