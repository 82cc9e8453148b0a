import type {
	IDataObject,
	IRunExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { openApi } from '../../shared/api/api';
import { fetchSession } from '../../shared/api/sessions';
import { resultOrError, WorkspaceAutomationError } from '../../shared/base/errors';
import { recordsIn } from '../../shared/n8n/executionJournal';
import { hasEnded, type Session } from '../../shared/session/session';
import { SESSIONS, type Entry } from '../journal';
import { HEADERS, page, type PageView } from './html';
import { NONCE, questionOf, type Question } from './links';
import { answeredLines, pendingOf, readForm, type PageAnswers } from './view';

// What the link to a question does: a GET shows, a POST decides, and n8n executes the node again, which applies it.

/** For reading the session: somebody waits for the page. */
const READ_MS = 10_000;

/** Questions that were answered in this process in the last minute: n8n 1 lets two answers at once go on with the execution twice. */
const answered = new Map<string, number>();
const CLAIM_MS = 60_000;

function claim({ nonce }: Question, now: number): boolean {
	for (const [each, since] of answered) if (now > since + CLAIM_MS) answered.delete(each);
	if (answered.has(nonce)) return false;
	answered.set(nonce, now);
	return true;
}

/** n8n has the execution's data, and its types do not. */
const executionOf = (context: IWebhookFunctions): IRunExecutionData =>
	(context as IWebhookFunctions & { runExecutionData: IRunExecutionData }).runExecutionData;

/** Answers with a page, and lets the execution wait on. */
function show(context: IWebhookFunctions, status: number, view: PageView): IWebhookResponseData {
	context.getResponseObject().set(HEADERS).status(status).send(page(view));
	return { noWebhookResponse: true };
}

const NO_SUCH: PageView = {
	title: 'This link leads nowhere',
	says: [
		'Nothing was decided. The link may have been cut off on its way: open it as it stands in the message.',
	],
};

const whatIs = (entry: Entry, question: Question): PageView => ({
	title: 'Already answered',
	says: ['Nothing is left to decide here, and nothing was decided now.'],
	...entry.about,
	sessionId: entry.sessionId,
	lines: answeredLines(entry.ledger, question),
});

/** What is to be seen of a question whose session is `session`. */
function viewOf(entry: Entry, question: Question, session: Session): PageView {
	const { answers, ledger, preferences } = entry;
	const { contents } = question;
	const pending = pendingOf(session, ledger, preferences ?? { approveWith: 'once' }, answers);
	const view = whatIs(entry, question);
	if (pending.requests.length === 0) {
		const isUnderWay = contents.some((content) => answers?.[content]);
		const isAnswered = isUnderWay || view.lines!.length > 0;
		if (isAnswered) return view;
		const title = hasEnded(session) ? 'The session has ended' : 'Nothing waits for a decision';
		return { ...view, title };
	}
	const hasChanged = pending.requests.some(({ content }) => !contents.includes(content));
	return {
		...view,
		title: 'An agent asks for permission',
		says: [
			...(hasChanged ? ['What is asked has changed since the link was sent.'] : []),
			'Nothing is decided before you press Send.',
		],
		pending,
		commentHint: 'It is kept with the decision.',
	};
}

/** The webhook of Run Agent Session. It never throws: n8n would end the execution. */
export async function answerOnPage(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const execution = executionOf(context);
	const nodeContext = NodeHelpers.getContext(execution, 'node', context.getNode()) as IDataObject;
	const nonce = (context.getQueryData() as IDataObject)[NONCE];
	const found = questionOf(recordsIn<Entry>(nodeContext, SESSIONS), nonce);
	if (!found) return show(context, 404, NO_SUCH);
	const { record: entry, question, isLatest } = found;
	if (!isLatest) return show(context, 200, whatIs(entry, question));
	const read = async () => {
		const api = await openApi(context);
		const deadline = api.clock.now() + READ_MS;
		return await fetchSession(api, entry.sessionId!, { deadline, maxAttempts: 2 });
	};
	const session = await resultOrError(read());
	if (session instanceof WorkspaceAutomationError)
		return show(context, 503, {
			title: 'The session cannot be read at the moment',
			says: ['Nothing was decided. Open the link again in a minute.'],
		});
	const view = viewOf(entry, question, session);
	const { pending } = view;
	if (context.getRequestObject().method !== 'POST' || !pending) return show(context, 200, view);
	const answers = readForm(pending, context.getBodyData());
	if (typeof answers === 'string') return show(context, 409, { ...view, ...PROBLEMS[answers] });
	if (!claim(question, Date.now())) return show(context, 409, whatIs(entry, question));
	return goOn(context, entry, question, answers);
}

const PROBLEMS = {
	changed: {
		title: 'The agent asks for something else now',
		says: [
			'Nothing was decided: what is asked has changed since you opened the page. This is what is asked now.',
		],
	},
	incomplete: {
		title: 'A request has no choice yet',
		says: ['Nothing was decided. Choose for each request, then press Send.'],
	},
};

/** Keeps the answers for the node, and has n8n execute it again with all that it has parked. */
function goOn(
	context: IWebhookFunctions,
	entry: Entry,
	question: Question,
	answers: PageAnswers,
): IWebhookResponseData {
	entry.answers = { ...entry.answers, ...answers };
	question.contents = [...new Set([...question.contents, ...Object.keys(answers)])];
	context.getResponseObject().set(HEADERS);
	const [parked] = executionOf(context).executionData!.nodeExecutionStack[0].data.main;
	return {
		workflowData: [[...parked!]],
		webhookResponse: page({
			...whatIs(entry, question),
			title: 'Sent',
			says: ['The agent gets your answer now. You can close this page.'],
			lines: [],
		}),
	};
}
