// People as agents: they get messages, open links, wait at a 409, send, change their minds, answer late or elsewhere, or not at all.
import type { IDataObject } from 'n8n-workflow';
import { fillIn } from '../support/fillIn.mts';
import type { Service } from './service.mts';
import type { Shell } from './shell.mts';
import type { Time } from './time.mts';
import { MINUTE, SECOND, type Habit, type World } from './world.mts';

/** A message that somebody got */
interface Message {
	at: number;
	executionId: string;
	json: IDataObject;
	sessionId: string;
	/** Without a link if the execution keeps running */
	link?: string;
}

/** What somebody did with a link */
interface Visit {
	at: number;
	/** When the page was loaded that they sent, or now */
	openedAt: number;
	/** The execution of the link had ended. */
	isOver: boolean;
	sessionId: string;
	executionId: string;
	/** Seconds for which n8n didn't let them in */
	waitedMs: number;
	/** What n8n answered in the end; 0 if nobody did */
	status: number;
	isJson?: boolean;
	isSent: boolean;
	choice?: 'approve' | 'deny';
	/** What they chose for a quiet session */
	quiet?: Habit['quiet'];
	/** The page when they chose */
	shown: string;
	/** The page says that the answer was saved */
	isSaved: boolean;
	/** What they got */
	body: string;
}

/** An answer given by Apply an Answer */
interface Applied {
	at: number;
	sessionId: string;
	choice: 'approve' | 'deny';
	/** The requests that they saw, as JSON */
	shown: string;
}

export type People = ReturnType<typeof createPeople>;

const PATIENCE_MS = MINUTE;
const AGAIN_MS = 5 * SECOND;
const READING_MS = 8 * SECOND;
/** As the page says it */
const QUIET = { keep: 'Keep waiting', message: 'Send a message', abort: 'Abort the session' };
const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** Returns the execution that a link is of. */
export const executionOf = (link: string): string =>
	/\/webhook-waiting\/([^/]+)/.exec(link)?.[1] ?? '';

export function createPeople(
	world: World,
	time: Time,
	service: Service,
	getShell: () => Shell,
	log: (line: string) => void,
) {
	const messages: Message[] = [];
	const visits: Visit[] = [];
	const applied: Applied[] = [];
	const habits = world.people ?? [];

	/** Opens or sends, and again while n8n says that the execution runs. */
	async function reach(message: Message, form?: Record<string, string>) {
		const began = time.now();
		for (;;) {
			const answer = await getShell().openLink(message.link!, form);
			const isBusy = answer.status === 0 || ([409, 500].includes(answer.status) && answer.isJson);
			const waitedMs = time.now() - began;
			if (!isBusy || waitedMs >= PATIENCE_MS) return { ...answer, waitedMs };
			await time.sleep(AGAIN_MS);
		}
	}

	async function visit(
		message: Message,
		denies: boolean,
		{ quiet = 'keep', keepsTabMs = 0, comments = false }: Partial<Habit>,
		isChange = false,
	): Promise<void> {
		const { sessionId } = message;
		const executionId = executionOf(message.link!);
		const isOver = () => ENDED.includes(getShell().rows.get(executionId)!.status);
		let openedAt: number | undefined;
		const note = (
			what: Omit<Visit, 'at' | 'sessionId' | 'executionId' | 'openedAt' | 'isOver'>,
		) => {
			const at = time.now();
			openedAt ??= at;
			visits.push({ at, openedAt, sessionId, executionId, isOver: isOver(), ...what });
			const title = /<h1[^>]*>([^<]*)/.exec(what.shown)?.[1] ?? '';
			log(`person ${what.isSent ? 'sends' : 'opens'}: ${what.status} ${title}`);
		};
		const opened = await reach(message);
		note({ ...opened, isSent: false, shown: opened.body, isSaved: false });
		if (opened.status !== 200) return;
		await time.sleep((isChange ? 2 * SECOND : READING_MS) + keepsTabMs);
		const texts = Object.fromEntries(
			[...opened.body.matchAll(/<textarea[^>]* name="(answer\d+)"/g)].map(([, name]) => [
				name,
				`${denies ? 'No' : 'Yes'} ${visits.length}`,
			]),
		);
		if (comments) texts.comment = `Because of ${visits.length}`;
		const chosen = fillIn(opened.body, QUIET[quiet]);
		const isQuiet = /<span>Keep waiting/.test(opened.body);
		const form = { ...chosen, ...fillIn(opened.body, denies ? 'Deny' : 'Approve', texts) };
		if (form.shown === undefined) return;
		const sent = await reach(message, form);
		note({
			...sent,
			isSent: true,
			choice: denies ? 'deny' : 'approve',
			...(isQuiet && { quiet }),
			shown: opened.body,
			isSaved: sent.status === 200 && /Your answer was saved/.test(sent.body),
		});
	}

	function act(message: Message, habit: Habit): void {
		const { denies = false } = habit;
		switch (habit.does) {
			case 'nothing':
				return;
			case 'dashboard':
				return service.decideInDashboard(message.sessionId, !denies);
			case 'apply':
				applied.push({
					at: time.now(),
					sessionId: message.sessionId,
					choice: denies ? 'deny' : 'approve',
					shown: JSON.stringify(message.json),
				});
				return getShell().runNode(
					{
						operation: 'applyAnswer',
						sessionId: { __rl: true, mode: 'id', value: message.sessionId },
						answer: denies ? 'deny' : 'approve',
						askedInteractions: '={{ $json.pendingInteractions }}',
					},
					{ pendingInteractions: message.json.pendingInteractions },
				);
		}
		if (message.link === undefined) return;
		const first = messages.find(({ sessionId, link }) => sessionId === message.sessionId && link);
		const used = habit.takesFirstLink ? first! : message;
		void visit(used, denies, habit);
		if (habit.isTwo) time.after(SECOND, () => void visit(used, !denies, habit));
		if (habit.changesAfterMs !== undefined)
			time.after(READING_MS + habit.changesAfterMs, () => void visit(used, !denies, habit, true));
	}

	return {
		messages,
		applied,
		visits,
		receive(items: IDataObject[], executionId: string): void {
			for (const json of items) {
				const { approvalUrl, sessionId } = json;
				const message: Message = {
					at: time.now(),
					executionId,
					json: structuredClone(json),
					sessionId: String(sessionId),
					...(typeof approvalUrl === 'string' && { link: approvalUrl }),
				};
				messages.push(message);
				log(
					`person gets a message about ${sessionId as string}${approvalUrl ? '' : ' without a link'}`,
				);
				if (habits.length === 0) continue;
				const habit = habits[(messages.length - 1) % habits.length];
				time.after(habit.afterMs, () => act(message, habit));
			}
		},
	};
}
