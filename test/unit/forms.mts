// Reads the answers to one form of the approval page.
import {
	isProblem,
	readForms,
	type FormProblem,
	type PageForm,
} from '../../nodes/RunAgentSession/page/view.ts';
import type { FormAnswer } from '../../nodes/RunAgentSession/requests/ballots.ts';

export function readForm(form: PageForm, body: unknown, at: number): FormAnswer[] | FormProblem {
	const read = readForms([{ pending: form }], body, at);
	return isProblem(read) ? read : read[0];
}
