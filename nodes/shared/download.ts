import type { IExecuteSingleFunctions } from 'n8n-workflow';

import { problemOf } from './answers';
import type { Clock } from './clock';
import { Problem } from './problem';
import { judge, waitMs, type Outcome } from './resend';
import { outcomeOfError } from './transport';

/** A stream as n8n's helpers take one. */
export type Stream = Exclude<
	Parameters<IExecuteSingleFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

const ATTEMPTS = 4;

interface Streamed {
	statusCode: number;
	headers: Record<string, unknown>;
	body: Stream;
}

/**
 * Streams what a download URL holds into `consume`, anew after a failure. The URL is signed and needs no token: this request goes
 * without the credential, to whatever host the service named.
 */
export async function download<T>(
	context: IExecuteSingleFunctions,
	clock: Clock,
	url: string,
	consume: (body: Stream) => Promise<T>,
): Promise<T> {
	if (!/^https?:\/\//i.test(url))
		throw new Problem(
			'The service gave a download URL that is none',
			'It is neither https nor http. Nothing was downloaded.',
		);
	for (let attempt = 1; ; attempt++) {
		clock.throwIfStopped();
		const result = await fetchOnce(context, url, consume);
		if ('value' in result) return result.value;
		if (judge(result, true) === 'final' || attempt === ATTEMPTS)
			throw failed(problemOf(result, clock.now()));
		await clock.pause(waitMs(result, attempt, clock.now(), Math.random()));
	}
}

const failed = ({ message, description, facts }: Problem) =>
	new Problem(
		`The file could not be downloaded: ${message[0].toLowerCase()}${message.slice(1)}`,
		`Download URLs are valid for 15 minutes; run the node again for a new one. ${description}`,
		facts,
	);

async function fetchOnce<T>(
	context: IExecuteSingleFunctions,
	url: string,
	consume: (body: Stream) => Promise<T>,
): Promise<{ value: T } | Outcome> {
	const work = async () => {
		const answer = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as Streamed;
		if (answer.statusCode >= 200 && answer.statusCode < 300)
			return { value: await consume(answer.body) };
		answer.body.destroy();
		return {
			kind: 'answer',
			status: answer.statusCode,
			headers: answer.headers,
			body: undefined,
		} as const;
	};
	return await work().catch((error: unknown) => outcomeOfError(error));
}
