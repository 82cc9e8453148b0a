import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { WorkspaceAutomationError } from '../../shared/errors';

/** The modes in which n8n uses a workflow's own engine. All others run in its first engine, for example sub-workflows and retries. */
const ENGINE_MODES: readonly WorkflowExecuteMode[] = ['manual', 'webhook', 'trigger'];

/** @throws before anything is started if n8n's new engine runs the workflow: it runs no node that's connected to its own input */
export function requireCyclesSupported(context: IExecuteFunctions): void {
	// n8n's types don't have the setting yet.
	const { engineType } = context.getWorkflowSettings() as { engineType?: unknown };
	if (engineType !== 'v2' || !ENGINE_MODES.includes(context.getMode())) return;
	throw new WorkspaceAutomationError(
		"'In the Database' doesn't work in n8n's new engine",
		"Set 'Wait' to 'In Memory', or remove 'engineType' from the workflow's settings. The new engine runs no node that's connected to its own input. No session was started.",
	);
}
