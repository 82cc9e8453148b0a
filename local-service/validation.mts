// Checks requests and answers against the contract.
import { explain, type Operation } from '../openapi/contract.mts';
import { ApiError } from './errors.mts';

const versionHeader = 'service-api-version';

/** The versions that the contract allows for an operation; undefined when this one is among them. */
function allowedInstead({ parameters }: Operation, sent: unknown): string | undefined {
	const parameter = parameters.find(
		(candidate) => candidate.in === 'header' && candidate.name.toLowerCase() === versionHeader,
	);
	// A missing header is validated as an empty one, so that the contract's error names what is allowed
	if (!parameter || parameter.validate(sent ?? '')) return undefined;
	return parameter.validate.errors
		?.find(({ keyword }) => keyword === 'enum')
		?.params.allowedValues.join(', ');
}

/**
 * @param version what the operation accepts, where that is not the contract's
 * @throws ApiError `invalid_version`, naming the version that the operation accepts
 */
export function checkVersion(
	operation: Operation,
	headers: Record<string, unknown>,
	version?: string,
): void {
	const { method, path } = operation;
	const sent = headers[versionHeader];
	const allowed =
		version === undefined
			? allowedInstead(operation, sent)
			: sent === version
				? undefined
				: version;
	if (allowed === undefined) return;
	const problem =
		sent === undefined
			? 'The header Service-Api-Version is missing'
			: `Service-Api-Version ${sent} is not supported here`;
	throw new ApiError('invalid_version', `${problem}: ${method} ${path} accepts ${allowed}.`);
}

/** @throws ApiError `invalid_request`, naming each parameter that is wrong */
export function checkParameters({ parameters }: Operation, given: { path: any; query: any }): void {
	const problems = parameters.flatMap(({ name, in: where, required, validate }) => {
		if (where === 'header') return [];
		const value = given[where][name];
		if (value === undefined) return required ? [`${where}/${name} is required`] : [];
		return validate(value) ? [] : [explain(`${where}/${name}`, validate.errors)];
	});
	if (problems.length > 0) throw new ApiError('invalid_request', problems.join('; '));
}

/**
 * The body of a request, parsed; undefined where the operation takes none.
 * @throws ApiError `invalid_request`
 */
export function parseBody(
	{ validateBody }: Operation,
	raw: Buffer | undefined,
	contentType: string | undefined,
): unknown {
	if (!validateBody) return undefined;
	if (!raw || raw.length === 0) throw new ApiError('invalid_request', 'A JSON body is required');
	if (!/^application\/json\b/i.test(contentType ?? ''))
		throw new ApiError('invalid_request', 'Content-Type must be application/json');
	return readBody(raw.toString());
}

/** @throws ApiError `invalid_request`, naming everything that is wrong */
export function checkBody({ validateBody }: Operation, body: unknown): void {
	if (validateBody && !validateBody(body))
		throw new ApiError('invalid_request', explain('body', validateBody.errors));
}

function readBody(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new ApiError(
			'invalid_request',
			`The body is not valid JSON: ${(error as Error).message}`,
		);
	}
}

/** Returns the reason why an answer breaks the contract, or undefined. */
export function contractViolation(
	{ validateAnswer, operationId }: Operation,
	status: number,
	body: unknown,
): string | undefined {
	const validate = validateAnswer[status] ?? validateAnswer.default;
	return validate(body)
		? undefined
		: `${operationId} breaks the contract with its ${status}: ${explain('answer', validate.errors)}`;
}
