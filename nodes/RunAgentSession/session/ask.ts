import { latestAgentText } from '../../shared/client/session';
import { nonEmptyText, quote } from '../../shared/values';
import {
	isOpen,
	isQuietRecord,
	recordAsked,
	recordAskedAgain,
	waitingSince,
	type RequestRecord,
} from '../requests/requestRecord';
import {
	askDue,
	createBallot,
	nextAskAt,
	findBallot,
	listVoided,
	MAX_REQUESTS_SHOWN,
	renewBallot,
	findDeadline,
	type AnswerDeadline,
} from '../requests/ballots';
import type { UndecidedRequest } from '../requests/decisions';
import type { SessionRun, AskedItem } from './run';

// Asks approvers once per request, for as many at once as a message and the page show.

const isUnasked = (run: SessionRun, record: RequestRecord): boolean =>
	run.settings.hasPage
		? findBallot(run.record.ballots, record) === undefined
		: record.askedAt === undefined;

/** Returns the requests to ask for now. The others wait until these are decided. */
function listUnasked(run: SessionRun): UndecidedRequest[] {
	const unasked = run.undecided.filter(({ record }) => isUnasked(run, record));
	const open = run.record.requests.filter(
		(record) => isOpen(record) && !isUnasked(run, record),
	).length;
	return unasked.slice(0, Math.max(0, MAX_REQUESTS_SHOWN - open));
}

/** Returns whether approvers have to get an item: for a new ballot, a reminder, or as a backup. */
export const hasDueItem = (run: SessionRun): boolean =>
	listUnasked(run).length > 0 || nextAskAt(run.voting, run.record.requests) <= run.wallTime;

/** Characters of the agent's latest words that the page can show */
const MAX_WORDS_KEPT = 4_000;

/** Asks the approvers who are due, and notes it in the record. @throws the error of settings that became invalid during the pause */
export function askApprovers(run: SessionRun): AskedItem[] {
	const { settings, wallTime } = run;
	const unasked = listUnasked(run);
	const records = unasked.map(({ record }) => record);
	const requests = recordAsked(run.record.requests, records, wallTime);
	if (!settings.hasPage) {
		run.save({ requests });
		return unasked.length > 0 ? [{ undecided: unasked }] : [];
	}
	const before = run.record.ballots;
	const ballots = unasked.length > 0 ? [...before, openBallot(run, records)] : before;
	const voting = { ...run.voting, ballots };
	const open = run.undecided.map(({ record }) => record);
	const { asks, ballots: after } = askDue(voting, open, wallTime);
	const { policy, sendComments } = settings;
	const words = run.session && nonEmptyText(latestAgentText(run.session));
	const { approveWith, approveValues, denyValues } = policy;
	run.save({
		requests,
		ballots: after,
		page: {
			preferences: { approveWith, approveValues, denyValues },
			...(words !== undefined && { words: words.slice(0, MAX_WORDS_KEPT) }),
			sendComments,
			sendsReasons: sendComments || run.api.hasPlaceFor('resolveInteraction', 'reason'),
		},
	});
	return asks.map((ask) => {
		const isOwn = ({ record }: UndecidedRequest) => findBallot(after, record) === ask.ballot;
		const undecided = run.undecided.filter(isOwn);
		const hasChanged = undecided.some(
			({ record }) => listVoided(record, requests, voting).length > 0,
		);
		return { ...ask, undecided, ...(hasChanged && { hasChanged }) };
	});
}

/** Nothing can be denied of a quiet session. */
const ABORTS = { ifNobodyAnswers: 'abort' as const };

/** Returns until when a ballot's requests wait for an answer. */
function findBallotDeadline(
	{ settings, wallTime, wait }: SessionRun,
	records: readonly RequestRecord[],
): AnswerDeadline | undefined {
	const { timeouts } = settings;
	const isDenied = timeouts.ifNobodyAnswers === 'deny' && records.some(isQuietRecord);
	const limits = isDenied ? { ...timeouts, ...ABORTS } : timeouts;
	const askedAt = Math.min(wallTime, ...records.flatMap((each) => waitingSince(each) ?? []));
	return findDeadline({ since: wait.since, askedAt }, limits);
}

/** Asks again in a retry, with links of its own: n8n no longer takes an answer to those of the execution before. */
export function askAgain(run: SessionRun): void {
	const { execution } = run.dependencies;
	const { execution: before, requests, ballots } = run.record;
	if (before === execution) return;
	if (before === undefined) return run.save({ execution });
	const { settings, wallTime } = run;
	const askedAgain = recordAskedAgain(requests, settings.hasPage ? wallTime : undefined);
	run.save({
		execution,
		requests: askedAgain,
		ballots: ballots.map((ballot) => {
			const shown = askedAgain.filter((record) => findBallot(ballots, record) === ballot);
			return renewBallot(ballot, wallTime, findBallotDeadline(run, shown));
		}),
	});
}

function openBallot(run: SessionRun, records: readonly RequestRecord[]) {
	const { settings, wallTime } = run;
	const { team, policy } = settings;
	if (team instanceof Error) throw team;
	for (const name of team?.merged ?? [])
		run.warn(`'Approvers' lists the same person twice. ${quote(name, 100)} is asked once.`);
	const isQuiet = records.some(isQuietRecord);
	const deadline = findBallotDeadline(run, records);
	// One answer about a quiet session is enough.
	const asked = team && isQuiet ? { ...team, needed: 1 } : team;
	return createBallot(records, asked, wallTime, {
		...(deadline && { deadline }),
		...(policy.moreRules !== undefined && { offersFromNowOn: true as const }),
	});
}
