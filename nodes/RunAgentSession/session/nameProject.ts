import type { SessionRun } from './run';
import type { RunResult } from './types';

/** Adds what items and approval requests say of the project: its name, and the time zone of deadlines. */
export async function nameProject(run: SessionRun, kind: RunResult['kind']): Promise<void> {
	const { origin } = run.record;
	const { projectId, projectName, timeZone } = origin ?? {};
	const lacksZone = kind === 'needsApproval' && timeZone === undefined;
	const lacksName = kind === 'completed' && projectName === undefined;
	const { findProject } = run.dependencies;
	if (!findProject || projectId === undefined || !(lacksZone || lacksName)) return;
	const found = await findProject(projectId);
	run.save({ origin: { ...origin, ...found, projectName: projectName ?? found.projectName } });
}
