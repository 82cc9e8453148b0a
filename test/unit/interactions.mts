// Approval requests, and sessions that wait for the decisions.
import type { Interaction, Session } from '../../nodes/shared/client/session.ts';

export const ONCE = { value: 'once', label: 'Allow once' };
export const ALWAYS = { value: 'always', label: 'Allow always' };
export const REJECT = { value: 'reject', label: 'Reject' };

/** A request of a command that may be allowed once, or rejected */
export const request = (changes: object = {}): Interaction => ({
	type: 'permission',
	id: 'i1',
	permission: 'bash',
	patterns: ['git push'],
	response: { options: [ONCE, REJECT] },
	...changes,
});

/** The same, which may also be allowed always */
export const lastingRequest = (changes: object = {}): Interaction =>
	request({ response: { type: 'choice', options: [ONCE, ALWAYS, REJECT] }, ...changes });

export const session = (changes: Partial<Session> = {}): Session => ({
	sessionId: 's1',
	status: 'running',
	pendingInteractions: [],
	...changes,
});
