import type { components } from '../base/contract';
import { WorkspaceAutomationError } from '../base/errors';
import { LIMITS } from '../base/limits';
import { excerpt, excerptOf, isRecord, textOf } from '../base/values';

type SetupRequired = components['schemas']['SetupRequired'];

/** The service's own words on what has to be set up (API document, Project), in one line. */
export const setupMessage = ({ message }: SetupRequired): string =>
	excerptOf(message, LIMITS.message) ?? 'The API key can act on no project';

/** The error for a key that can act on no project. */
export function setupRequiredError(setup: SetupRequired): WorkspaceAutomationError {
	// Nullable in the wild, whatever the contract says.
	const workspaces: unknown = setup.eligible_workspaces;
	const names = (Array.isArray(workspaces) ? workspaces : [])
		.map((workspace) => isRecord(workspace) && (textOf(workspace.name) ?? textOf(workspace.id)))
		.filter(Boolean);
	const where =
		names.length > 0 ? ` Workspaces that could hold one: ${excerpt(names.join(', '))}.` : '';
	return new WorkspaceAutomationError(
		setupMessage(setup),
		`Create a project in the product or use a key of somebody who has one.${where}`,
		{ code: excerptOf(setup.reason) },
	);
}
