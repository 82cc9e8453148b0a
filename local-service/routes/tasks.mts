// Recurring scheduled prompts: list, read, change.
import { mayActOn, type Key } from '../auth.mts';
import { iso } from '../clock.mts';
import { ApiError } from '../errors.mts';
import { listed } from '../lateness.mts';
import { mapPage, page } from '../paging.mts';
import { isRule, findNextRun } from '../recurrence.mts';
import type { Task } from '../state.mts';
import { permitted } from './access.mts';
import { ok, type Routes } from './route.mts';

const writable = ['title', 'prompt', 'rrule', 'emoji'] as const;

export const taskRoutes: Routes = (state) => {
	const { clock } = state;

	/** A task as the API shows it, without its prompt. */
	function show(task: Task) {
		const { id, title, emoji, rrule, createdAt, updatedAt } = task;
		const next = findNextRun(task, clock.now());
		const times = {
			...(next !== undefined && { nextRunAt: iso(next) }),
			createdAt: iso(createdAt),
			updatedAt: iso(updatedAt),
		};
		return { object: 'task', id, title, emoji, rrule, ...times };
	}

	const findTask = (id: string, key: Key) => permitted(key, state.store.tasks.get(id), 'task');

	return {
		listTasks({ query, limit, key }) {
			const { tasks } = state.store;
			const list = page(
				'tasks',
				{ ...query, limit },
				(sequence) => listed(state, tasks.after('', sequence)),
				({ projectId }) => mayActOn(key, projectId),
			);
			return ok(mapPage(list, show));
		},

		getTask: ({ params, key }) => ok(show(findTask(params.taskId, key))),

		updateTask({ params, body, key }) {
			const task = findTask(params.taskId, key);
			if (body.rrule !== undefined && !isRule(body.rrule)) {
				throw new ApiError(
					'invalid_request',
					'body/rrule must be a recurrence rule, for example FREQ=DAILY;BYHOUR=9',
				);
			}
			const changes = writable.filter(
				(name) => body[name] !== undefined && body[name] !== task[name],
			);
			for (const name of changes) task[name] = body[name];
			if (changes.includes('rrule')) delete task.ranUntil;
			// Repeating an update changes nothing, not even `updatedAt`
			if (changes.length > 0) task.updatedAt = clock.now();
			return ok(show(task));
		},
	};
};
