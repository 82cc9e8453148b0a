import { isRecord } from '../values';

/** API document, Errors */
interface ErrorEnvelope {
	code: string;
	message: string;
	doc_url: string;
}

const FIELDS = ['code', 'message', 'doc_url'] as const;

/** Returns the error that the service itself gives, or undefined for anything else. */
export function readErrorEnvelope(body: unknown): ErrorEnvelope | undefined {
	const error = isRecord(body) ? body.error : undefined;
	const isEnvelope = isRecord(error) && FIELDS.every((name) => typeof error[name] === 'string');
	return isEnvelope ? (error as unknown as ErrorEnvelope) : undefined;
}
