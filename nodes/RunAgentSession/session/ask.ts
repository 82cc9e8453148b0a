import { fingerprintContent, requestKey } from '../../shared/client/session';
import {
	askDue,
	createTeam,
	identifyRequests,
	listVoided,
	nextAskAt,
	voidVotes,
	type Team,
} from '../approval/approvers';
import { addLink, createLink, type PageLink } from '../approval/page/view';
import { findDeadline } from '../approval/times';
import type { UndecidedRequest } from './ledger';
import type { SessionRun } from './run';
import type { ApproverItem, RunResult } from './types';

// Asks approvers once per request. With several approvers, it asks again for reminders, backups, and changed requests.

export type Asked = Pick<RunResult, 'undecided' | 'link' | 'approverItems'>;

/** Returns whether approvers haven't been asked yet about a request that is left for them. */
function isNewQuestion(run: SessionRun): boolean {
	const { asked = [] } = run.wait;
	return run.undecided.some(({ interaction }) => !asked.includes(requestKey(interaction)));
}

const questionsWithTeam = ({ record }: SessionRun): Array<PageLink & { team: Team }> =>
	(record.page?.questions ?? []).filter(
		(question): question is PageLink & { team: Team } => question.team !== undefined,
	);

const openRequests = (run: SessionRun, { keys }: Team): UndecidedRequest[] =>
	run.undecided.filter(({ interaction }) => keys.includes(requestKey(interaction)));

const listContents = (requests: readonly UndecidedRequest[]): string[] =>
	requests.map(({ interaction }) => fingerprintContent(interaction) ?? '');

function saveQuestions(
	run: SessionRun,
	change: (question: PageLink, team: Team) => PageLink,
): void {
	const { page } = run.record;
	if (!page) return;
	const questions = page.questions.map((question) =>
		question.team ? change(question, question.team) : question,
	);
	run.save({ page: { ...page, questions } });
}

/** Drops the answers to requests that have changed. Their approvers are asked again, and the time for an answer starts again. */
export function dropStaleVotes(run: SessionRun): void {
	if (questionsWithTeam(run).length === 0) return;
	const pending = identifyRequests(run.session!.pendingInteractions);
	const { since, firstSeen = {} } = run.wait;
	const restarted: Record<string, number> = {};
	saveQuestions(run, (question, team) => {
		const current = voidVotes(team, pending);
		if (current === team) return question;
		const isNowVoid = ({ id }: { id: string }) =>
			current.votes.some(
				(vote, at) => vote.interactionId === id && vote.isVoid && !team.votes[at].isVoid,
			);
		for (const { key } of pending.filter(isNowVoid))
			if (team.keys.includes(key) && firstSeen[key] !== undefined) restarted[key] = run.wallTime;
		const deadline = findDeadline({ since, askedAt: run.wallTime }, run.settings.timeouts);
		return { ...question, team: current, ...(deadline && { deadline }) };
	});
	if (Object.keys(restarted).length > 0)
		run.saveWait({ firstSeen: { ...firstSeen, ...restarted } });
}

/** Returns whether approvers have to get an item: for a new question, a reminder, or an answer that doesn't count anymore. */
export const hasQuestion = (run: SessionRun): boolean =>
	isNewQuestion(run) || nextApproverAt(run) <= run.wallTime;

/** Returns the time at which the next of several approvers has to be asked or reminded. */
export const nextApproverAt = (run: SessionRun): number =>
	Math.min(
		Infinity,
		...questionsWithTeam(run).map(({ team }) =>
			nextAskAt(team, listContents(openRequests(run, team))),
		),
	);

/** Asks the approvers who are due, and notes it in the journal. Returns undefined if none are. */
export function askApprovers(run: SessionRun): Asked | undefined {
	const opened = isNewQuestion(run) ? openQuestion(run) : undefined;
	const approverItems = takeApproverItems(run);
	if (approverItems.length === 0) return opened;
	const asked = approverItems.flatMap(({ undecided }) => undecided);
	return { undecided: [...new Set(asked)], link: approverItems[0].link, approverItems };
}

/** Opens a question for requests that approvers weren't asked about. @throws the error of settings that became invalid during the pause */
function openQuestion(run: SessionRun): Asked | undefined {
	const { settings, record } = run;
	const { team } = settings;
	if (team instanceof Error) throw team;
	const { asked = [], since } = run.wait;
	const ofTeams = questionsWithTeam(run).flatMap((question) => question.team.keys);
	const left = run.undecided.filter(
		({ interaction }) => !ofTeams.includes(requestKey(interaction)),
	);
	const keysLeft = left.map(({ interaction }) => requestKey(interaction));
	run.saveWait({ asked: [...new Set([...asked, ...keysLeft])] });
	const { timeouts, hasPage } = settings;
	if (!hasPage) return { undecided: left };
	const deadline = findDeadline({ since, askedAt: run.wallTime }, timeouts);
	const offersFromNowOn = settings.policy.moreRules !== undefined;
	const isFresh = ({ interaction }: UndecidedRequest) => !asked.includes(requestKey(interaction));
	const shown = team ? left.filter(isFresh) : left;
	const link: PageLink = {
		...createLink(listContents(shown), deadline, offersFromNowOn),
		...(team && {
			team: createTeam(
				team,
				shown.map(({ interaction }) => requestKey(interaction)),
				run.wallTime,
			),
		}),
	};
	run.save({ page: addLink(record.page, link, settings) });
	return { undecided: shown, link };
}

function takeApproverItems(run: SessionRun): ApproverItem[] {
	const items: ApproverItem[] = [];
	saveQuestions(run, (question, team) => {
		const undecided = openRequests(run, team);
		const due = askDue(team, listContents(undecided), run.wallTime);
		if (due.asks.length === 0) return question;
		const link = { ...question, team: due.team };
		const { questions } = run.record.page!;
		const hasChanged = identifyRequests(undecided.map(({ interaction }) => interaction)).some(
			(request) => listVoided(questions, request).length > 0,
		);
		items.push(...due.asks.map((ask) => ({ ...ask, undecided, link, hasChanged })));
		return link;
	});
	return items;
}
