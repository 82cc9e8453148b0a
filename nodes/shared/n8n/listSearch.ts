import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeParameterResourceLocator,
	INodePropertyOptions,
} from 'n8n-workflow';

import { openApi } from '../api/api';
import { idOf, readPages } from '../api/pages';
import type { Values } from '../api/operations';
import { toNodeError, WorkspaceAutomationError } from '../base/errors';
import { isId, requireId } from '../base/validation';

// What the pickers of the nodes' panels list.

/** A look into a list, in front of which somebody waits */
const LOOK_MS = 20_000;
/** Pages that one look may cost; the editor asks for more when somebody scrolls */
const MOST_PAGES = 20;

/** How an entry of each list is shown; its ID is what is chosen. The fields of a product are not documented: whatever names one is. */
const NAMES = {
	listCustomDomains: ({ domain, id, status }: IDataObject) =>
		status === undefined ? domain : `${String(domain ?? id)} (${String(status)})`,
	listFiles: ({ name, id, kind }: IDataObject) =>
		`${String(name ?? id)}${kind === 'folder' ? '/' : ''}`,
	listProducts: ({ name, title }: IDataObject) => name ?? title,
	listProjects: ({ name }: IDataObject) => name,
	listTasks: ({ title, emoji, id }: IDataObject) => [emoji, title ?? id].filter(Boolean).join(' '),
};

interface Picker {
	operation: keyof typeof NAMES;
	/** Of its request; may depend on the other fields of the panel */
	valuesOf?: (context: ILoadOptionsFunctions) => Values;
	keep?: (entry: IDataObject) => boolean;
}

/** The pages of a list as people see them, read with the credential of the panel. Mistakes become n8n's own errors. */
async function* shownPages(
	context: ILoadOptionsFunctions,
	{ operation, valuesOf = () => ({}), keep = () => true }: Picker,
	from?: string,
) {
	try {
		const api = await openApi(context);
		const options = { from, deadline: api.clock.now() + LOOK_MS };
		for await (const { data, next } of readPages(api, operation, valuesOf(context), options)) {
			const entries = data.filter(keep).map((entry) => {
				const value = idOf(api, operation, entry);
				return { value, name: String(NAMES[operation](entry) ?? value) };
			});
			yield { entries, next };
		}
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/**
 * A search method for a resource locator. The service has no search, so the filter is applied to whole pages, and pages are read
 * until one has a match.
 */
const searchOf = (picker: Picker) =>
	async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		from?: string,
	): Promise<INodeListSearchResult> {
		const wanted = filter?.trim().toLowerCase() ?? '';
		const matches = ({ name, value }: INodeListSearchItems) =>
			`${name} ${value}`.toLowerCase().includes(wanted);
		let pages = 0;
		let last: INodeListSearchResult = { results: [] };
		for await (const { entries, next } of shownPages(this, picker, from)) {
			last = { results: entries.filter(matches), paginationToken: next };
			if (last.results.length > 0 || ++pages === MOST_PAGES) break;
		}
		return last;
	};

/** The entries of a multiple selection. n8n filters them itself, so all of them are read. */
const optionsOf = (picker: Picker) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const options: INodePropertyOptions[] = [];
		for await (const { entries } of shownPages(this, picker)) options.push(...entries);
		return options;
	};

/** The project of the panel. It is read as it stands there: asking for its extracted value fails where the operation has none. */
const chosenProject = (context: ILoadOptionsFunctions) =>
	(context.getCurrentNodeParameter('projectId') as INodeParameterResourceLocator | undefined)
		?.value;

function projectOfFiles(context: ILoadOptionsFunctions): Values {
	// The trigger takes several projects, but a folder is in one.
	const several = context.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
	const projectId = [chosenProject(context), several?.[0]].find(isId);
	if (projectId !== undefined) return { projectId };
	throw new WorkspaceAutomationError(
		'No project is chosen',
		"Files are listed by project: choose one under 'Project' (in the trigger 'Project Names or IDs'), or enter an ID with 'By ID'.",
	);
}

export const getProjects = searchOf({ operation: 'listProjects' });

/** The search methods, by the names that the locators have for them */
export const listSearch = {
	getProjects,
	getTasks: searchOf({ operation: 'listTasks' }),
	getFiles: searchOf({ operation: 'listFiles', valuesOf: projectOfFiles }),
	getFolders: searchOf({
		operation: 'listFiles',
		valuesOf: projectOfFiles,
		keep: ({ kind }) => kind === 'folder',
	}),
	getProducts: searchOf({
		operation: 'listProducts',
		valuesOf: (context) => ({ projectId: requireId('Project', chosenProject(context)) }),
	}),
	// The service lists them by site only, and has no list of sites.
	getCustomDomains: searchOf({
		operation: 'listCustomDomains',
		valuesOf: (context) => ({
			siteId: requireId('Site ID', context.getCurrentNodeParameter('siteId')),
		}),
	}),
};

export const loadOptions = {
	getProjectOptions: optionsOf({ operation: 'listProjects' }),
	getTaskOptions: optionsOf({ operation: 'listTasks' }),
};
