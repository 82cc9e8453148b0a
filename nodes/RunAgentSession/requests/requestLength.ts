import { countLeftOut } from '../../shared/approvals/largeRequest';
import { isRecord, toText } from '../../shared/values';

/** In characters of JSON */
const MAX_REQUEST_SHOWN = 50_000;

/** Returns whether a request is too long to be shown whole. It can only be denied. */
export const isLongRequest = (request: unknown): boolean =>
	(isRecord(request) && countLeftOut(request) > 0) || toText(request).length > MAX_REQUEST_SHOWN;
