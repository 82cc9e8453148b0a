// Functions that change answers.
import type { ChangeAnswer } from '../dialect.mts';

/** Another body, of what is our form for that operation: the table knows which. */
export const body =
	<Ours,>(change: (ours: Ours) => unknown): ChangeAnswer =>
	(answer) => ({ ...answer, body: change(answer.body as Ours) });

/** No body. */
export const empty =
	(status: number): ChangeAnswer =>
	({ headers }) => ({ status, headers, body: undefined });
