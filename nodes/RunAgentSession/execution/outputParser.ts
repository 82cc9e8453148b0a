import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { TIMED_OUT, withTimeout } from '../../shared/client/clock';
import { CanceledError, WorkspaceAutomationError } from '../../shared/errors';
import { formatSeconds, isRecord, nonEmptyText, toText } from '../../shared/values';
import type { OutputFormat, ParsedAnswer } from '../session/run';

interface OutputParser {
	getFormatInstructions(): string;
	/** @param mapError returns the error to throw for the exact one. Without it, or in some parsers, the error is general. */
	parse(text: string, callbacks: undefined, mapError: (error: Error) => Error): Promise<unknown>;
}

const MAX_PARSE_MS = 60_000;
/** Characters of the parser's reason in the message to the agent */
const MAX_REASON_LENGTH = 2_000;

/** @throws WorkspaceAutomationError if no parser is connected, and n8n's error of a parser that isn't set up */
export async function openOutputFormat(context: IExecuteFunctions): Promise<OutputFormat> {
	const parser = (await context
		.getInputConnectionData(NodeConnectionTypes.AiOutputParser, 0)
		.catch((error: { functionality?: unknown }) => {
			// n8n marks an error in a sub-node this way. Any other error means that there's no parser.
			if (error.functionality === 'configuration-node') throw error;
		})) as OutputParser | undefined;
	if (!parser)
		throw new WorkspaceAutomationError(
			'No output parser is connected',
			"Connect a Structured Output Parser to this node, or turn off 'Require Specific Output Format'. Nothing was sent.",
		);
	return {
		instructions: parser.getFormatInstructions(),
		parse: async (text) => await parseAnswer(parser, text, context.getExecutionCancelSignal?.()),
	};
}

/** @throws WorkspaceAutomationError if the parser doesn't return, and CanceledError after Stop */
async function parseAnswer(
	parser: OutputParser,
	text: string,
	signal: AbortSignal | undefined,
): Promise<ParsedAnswer> {
	const parsing = withTimeout(
		signal,
		MAX_PARSE_MS,
		async () => await parser.parse(text, undefined, (error) => error),
	);
	return await parsing.then(unwrapOutput, (error: unknown) => {
		if (error instanceof CanceledError) throw error;
		if (error === TIMED_OUT)
			throw new WorkspaceAutomationError(
				`The output parser didn't return within ${formatSeconds(MAX_PARSE_MS)}`,
				'Check the parser, and the model behind it. A retry reads the session again and starts no other one.',
			);
		return { misfit: describeMisfit(error).slice(0, MAX_REASON_LENGTH) };
	});
}

/** Takes the value out of the `output` that parsers wrap around it. Old parsers drop all other keys without an error. */
function unwrapOutput(parsed: unknown): ParsedAnswer {
	const isWrapped = isRecord(parsed) && ['', 'output'].includes(Object.keys(parsed).join());
	const output = isWrapped ? parsed.output : parsed;
	return output === undefined ? { misfit: 'output: Required' } : { output };
}

/** Text that LangChain adds to the messages of its errors, before a link */
const LINK_FOR_DEVELOPERS = 'Troubleshooting URL:';

function describeMisfit(error: unknown): string {
	const { name, message, issues, context } = Object(error) as Record<string, unknown>;
	if (Array.isArray(issues) && issues.length > 0)
		return issues.map((issue) => describeIssue(issue)).join('\n');
	const general = isRecord(context) ? nonEmptyText(context.outputParserFailReason) : undefined;
	const whole = general ?? nonEmptyText(message) ?? toText(error);
	const reason = whole.split(LINK_FOR_DEVELOPERS)[0].trim();
	return name === 'SyntaxError' ? `The answer isn't valid JSON: ${reason}` : reason;
}

const MAX_ALTERNATIVE_DEPTH = 3;

/** Returns the problems of each of a schema's alternatives (`anyOf`, `oneOf`, a list of types). Zod 3 and 4 differ. */
function listAlternatives(issue: unknown): unknown[][] {
	const { unionErrors, errors } = Object(issue) as Record<string, unknown>;
	const alternatives = Array.isArray(unionErrors)
		? unionErrors.map((each) => (Object(each) as Record<string, unknown>).issues)
		: errors;
	return Array.isArray(alternatives) ? alternatives.filter(Array.isArray) : [];
}

/** n8n's schemas name the field of `oneOf` twice. */
function describePath(path: unknown, hasAlternatives: boolean): string {
	const names = Array.isArray(path) ? path.map(String) : [];
	const half = names.slice(0, names.length / 2);
	const isTwice = hasAlternatives && names.join('.') === [...half, ...half].join('.');
	return (isTwice ? half : names).join('.') || 'answer';
}

/** Returns one problem that a schema found, such as `output.links.0.url: Required (expected string)`. */
function describeIssue(issue: unknown, depth = 0): string {
	const { path, message, expected } = Object(issue) as Record<string, unknown>;
	const alternatives = depth < MAX_ALTERNATIVE_DEPTH ? listAlternatives(issue) : [];
	const field = describePath(path, alternatives.length > 0);
	const problem = nonEmptyText(message) ?? 'Invalid';
	if (alternatives.length > 0) {
		const each = alternatives.map((issues) =>
			issues.map((inner) => describeIssue(inner, depth + 1)).join(', '),
		);
		return `${field}: ${problem} (${each.join(', or ')})`;
	}
	const type = nonEmptyText(expected);
	const isNamed = type === undefined || problem.toLowerCase().includes(type.toLowerCase());
	return `${field}: ${problem}${isNamed ? '' : ` (expected ${type})`}`;
}
