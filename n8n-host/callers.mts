/** Returns the files and functions that called, line by line. They aren't mapped to n8n's sources, which takes longer than all else that a timer does. */
export function callers(): string {
	const { prepareStackTrace } = Error;
	Error.prepareStackTrace = (_, sites) =>
		sites.map((site) => `${site.getFileName()} ${site.getFunctionName()}`).join('\n');
	const { stack = '' } = new Error();
	Error.prepareStackTrace = prepareStackTrace;
	return stack;
}
