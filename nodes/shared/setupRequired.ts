import type { components } from './contract';
import { Problem } from './problem';

/** The service's own words on why the key can act on no project (API document, Project). */
export function setupRequired({
	message,
	reason,
	eligible_workspaces: workspaces = [],
}: components['schemas']['SetupRequired']): Problem {
	const names = workspaces.map(({ name, id }) => name ?? id).filter(Boolean);
	return new Problem(
		message ?? 'The access token can act on no project',
		`Create a project in the product or use a key of somebody who has one.${names.length > 0 ? ` Workspaces that could hold one: ${names.join(', ')}.` : ''}`,
		{ code: reason },
	);
}
