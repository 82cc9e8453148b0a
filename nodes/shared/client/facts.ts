import type { ApiClient } from './operations';
import { findPreview, type Preview, type PreviewPage } from './previews';
import { createProjectLookup, type ProjectDetails } from './projects';

/** What items and approvers are told beside the session itself */
export interface Facts extends ProjectDetails {
	projectId?: string;
	previewUrl?: string;
}

/** What an execution keeps, so that each lookup is made once */
export interface FactMemory {
	workspaceAutomationProjects?: Record<string, ProjectDetails>;
	workspaceAutomationPreviews?: Record<string, Preview>;
}

export interface FoundFacts {
	facts: Facts;
	warnings: string[];
}

/**
 * Returns the facts that an item lacks: the name of its project, for approvers the time zone, and the preview of a page. A lookup that
 * fails holds up nothing.
 */
export type FactLookup = (
	known: Facts,
	page: PreviewPage | undefined,
	kind: 'needsApproval' | 'completed',
) => Promise<FoundFacts>;

export function createFactLookup(api: ApiClient, memory: FactMemory): FactLookup {
	const findProject = createProjectLookup(api, (memory.workspaceAutomationProjects ??= {}));
	return async (known, page, kind) => {
		const { projectId, projectName, previewUrl } = known;
		if (projectId === undefined) return { facts: known, warnings: [] };
		const lacked = kind === 'needsApproval' ? known.timeZone : projectName;
		const project = lacked === undefined ? await findProject(projectId) : {};
		const facts = { ...known, ...project, projectName: projectName ?? project.projectName };
		if (!page || previewUrl !== undefined) return { facts, warnings: [] };
		const previews = (memory.workspaceAutomationPreviews ??= {});
		const { url, warning } = await findPreview(
			api,
			previews,
			{ projectId, ...page },
			kind === 'completed',
		);
		return {
			facts: { ...facts, ...(url !== undefined && { previewUrl: url }) },
			warnings: warning === undefined ? [] : [warning],
		};
	};
}
