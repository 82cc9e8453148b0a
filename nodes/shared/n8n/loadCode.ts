import { WorkspaceAutomationError } from '../errors';

/**
 * Loads code on first use. The names of its files contain a hash, so an update while n8n is running never mixes two versions.
 * @throws WorkspaceAutomationError if an update has removed the version that n8n has loaded
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
	return await load().catch((error: unknown) => {
		if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
		throw new WorkspaceAutomationError(
			'The package was updated while n8n was running',
			'Run the workflow again. If that also fails, restart n8n and its workers.',
		);
	});
}
