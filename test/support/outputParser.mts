// An output parser as n8n's Structured Output Parser is one, without n8n: it wants a list of broken links.
import type { IExecuteFunctions } from 'n8n-workflow';

export const INSTRUCTIONS =
	'Answer in JSON: {"output": {"brokenLinks": [{"page": "", "url": ""}]}}';

/** An answer in the format, and what the parser makes of it */
export const LINKS = { brokenLinks: [{ page: '/about', url: '/old' }] };
export const RIGHT = JSON.stringify({ output: LINKS });
/** An answer without the field that the format requires, and the reason that the agent gets */
export const WRONG = '{"output": {"links": 3}}';
export const REASON = 'output.brokenLinks: Required (expected array)';

type MapError = (error: Error) => Error;

/** What n8n's parsers throw to a caller that doesn't ask for more */
const generalError = (outputParserFailReason?: string): Error =>
	Object.assign(new Error("Model output doesn't fit required format"), {
		context: { ...(outputParserFailReason && { outputParserFailReason }) },
	});

/** The error of a schema, as the library zod has it */
const schemaError = (): Error =>
	Object.assign(new Error('[{"code": "invalid_type"}]'), {
		issues: [
			{
				code: 'invalid_type',
				expected: 'array',
				received: 'undefined',
				path: ['output', 'brokenLinks'],
				message: 'Required',
			},
		],
	});

/** A parser for broken links. */
export const linksParser = () => ({
	getFormatInstructions: () => INSTRUCTIONS,
	async parse(text: string, _callbacks?: undefined, mapError?: MapError): Promise<unknown> {
		try {
			const json = JSON.parse(text.replaceAll(/^```json|```$/g, '').trim());
			if (!Array.isArray(json?.output?.brokenLinks)) throw schemaError();
			return json;
		} catch (error) {
			throw mapError ? mapError(error as Error) : generalError();
		}
	},
});

/** A node's context with this parser connected, or with what n8n throws */
export const connected = (parser: unknown): IExecuteFunctions =>
	({
		async getInputConnectionData() {
			if (parser instanceof Error) throw parser;
			return parser;
		},
	}) as unknown as IExecuteFunctions;
