// Which functions a query may call. The engine lists its functions by category: some categories are allowed as a whole, and from
// the mixed one the functions that only compute. Everything else is refused, so that a newer engine allows nothing new.

/** A row of `system.functions` */
export interface EngineFunction {
	name: string;
	alias_to: string;
	is_aggregate: number;
	categories: string;
}

/** Left out: dictionaries, models, introspection, and everything that reveals the server. */
const CATEGORIES = new Set([
	'Aggregate Functions',
	'Arithmetic',
	'Arrays',
	'Bit',
	'Bitmap',
	'Comparison',
	'Conditional',
	'Dates and Times',
	'Distance',
	'Encoding',
	'Financial',
	'Geo',
	'Geo Polygon',
	'Hash',
	'IP Address',
	'JSON',
	'Logical',
	'Map',
	'Mathematical',
	'Null',
	'Random Number',
	'Rounding',
	'String',
	'String Replacement',
	'String Search',
	'String Splitting',
	'Time Window',
	'Tuple',
	'Type Conversion',
	'URL',
	'UUID',
]);

const SINGLE = [
	'bar',
	'byteSize',
	'countDigits',
	'defaultValueOfTypeName',
	'finalizeAggregation',
	'formatReadableDecimalSize',
	'formatReadableQuantity',
	'formatReadableSize',
	'formatReadableTimeDelta',
	'identity',
	'ignore',
	'initializeAggregation',
	'isConstant',
	'materialize',
	'neighbor',
	'parseTimeDelta',
	'rowNumberInAllBlocks',
	'runningAccumulate',
	'runningDifference',
	'runningDifferenceStartingWithFirstValue',
	'throwIf',
	'toColumnTypeName',
	'toTypeName',
	'transform',
	// What the parser makes of CASE, arrow functions, EXISTS and lists
	'caseWithExpression',
	'lambda',
	'exists',
	'_CAST',
];

/**
 * Creates the rule for function names.
 * @param functions what the engine has
 * @param combinators suffixes of aggregate functions, such as `If` and `Merge`
 */
export function createFunctionRule(
	functions: EngineFunction[],
	combinators: string[],
): (name: string) => boolean {
	const lower = (text: string) => text.toLowerCase();
	const category = new Map(functions.map(({ name, categories }) => [name, categories]));
	const allowed = new Set([
		...SINGLE.map(lower),
		...functions
			.filter(({ alias_to, name }) => isAllowed(alias_to || name))
			.map(({ name }) => lower(name)),
	]);
	function isAllowed(name: string): boolean {
		return CATEGORIES.has(category.get(name) ?? '') || SINGLE.includes(name);
	}
	const aggregates = new Set(
		functions.filter(({ is_aggregate }) => is_aggregate).map(({ name }) => lower(name)),
	);
	const endings = combinators.map(lower);
	// The engine does not list `sumMergeIf`, which is `sum` with two combinators
	const isCombined = (name: string): boolean =>
		aggregates.has(name) ||
		endings.some((ending) => name.endsWith(ending) && isCombined(name.slice(0, -ending.length)));
	return (name) => allowed.has(lower(name)) || isCombined(lower(name));
}
