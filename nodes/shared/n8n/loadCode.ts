import { WorkspaceAutomationError } from '../errors';

/** Loads code on first use. Its file names contain a hash, so an update of a running n8n never mixes two versions. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
	return await load().catch((error: unknown) => {
		if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
		throw new WorkspaceAutomationError(
			'The package was updated while n8n was running',
			'Run the workflow again. If that also fails, restart n8n and its workers.',
		);
	});
}
