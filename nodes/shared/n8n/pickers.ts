import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeParameterResourceLocator,
	INodePropertyOptions,
} from 'n8n-workflow';

import { createClient } from '../client/createClient';
import { requireEntryId, readPages, warnOfSetup } from '../client/responses';
import type { Values } from '../client/operations';
import { toNodeError, WorkspaceAutomationError } from '../errors';
import { isId, requireId } from '../validation';
import { isRecord, nonEmptyText } from '../values';

const PICKER_BUDGET_MS = 20_000;
/** Pages that one search may cost. The editor asks for more when someone scrolls. */
const MAX_PICKER_PAGES = 20;

/** Labels of the entries. A product's fields aren't documented, so any name counts. */
const ENTRY_NAMES = {
	listCustomDomains: ({ domain, status }: IDataObject, id: string) =>
		nonEmptyText(status) ? `${nonEmptyText(domain) ?? id} (${status as string})` : domain,
	listFiles: ({ name, kind }: IDataObject, id: string) =>
		`${nonEmptyText(name) ?? id}${kind === 'folder' ? '/' : ''}`,
	listProducts: ({ name, title }: IDataObject) => nonEmptyText(name) ?? title,
	listProjects: ({ name }: IDataObject) => name,
	listTasks: ({ title, emoji }: IDataObject, id: string) =>
		[nonEmptyText(emoji), nonEmptyText(title) ?? id].filter(Boolean).join(' '),
};

type PickerEntry = Pick<INodeListSearchItems, 'name'> & { value: string };

interface Picker {
	operation: keyof typeof ENTRY_NAMES;
	valuesOf?: (context: ILoadOptionsFunctions) => Values;
	keep?: (entry: IDataObject) => boolean;
	/** Returns what an entry shows, if that isn't the entry itself. */
	itemsOf?: (entry: IDataObject) => PickerEntry[];
}

async function* readPickerPages(
	context: ILoadOptionsFunctions,
	{ operation, valuesOf = () => ({}), keep = () => true, itemsOf }: Picker,
	from?: string,
) {
	try {
		const api = await createClient(context);
		const onSetupRequired = warnOfSetup((text) => context.logger.warn(text));
		const deadline = api.clock.monotonicMs() + PICKER_BUDGET_MS;
		const options = { startCursor: from, deadline, onSetupRequired };
		for await (const { data, next } of readPages(api, operation, valuesOf(context), options)) {
			const toItem = (entry: IDataObject): PickerEntry => {
				const value = requireEntryId(entry);
				return { value, name: nonEmptyText(ENTRY_NAMES[operation](entry, value)) ?? value };
			};
			const entries = data.filter(keep).flatMap((entry) => itemsOf?.(entry) ?? [toItem(entry)]);
			yield { entries, next };
		}
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}

/** Creates a search method. The service has no search, so it filters whole pages and reads on until one has a match. */
const createSearch = (picker: Picker) =>
	async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		from?: string,
	): Promise<INodeListSearchResult> {
		const searchText = filter?.trim().toLowerCase() ?? '';
		const matches = ({ name, value }: INodeListSearchItems) =>
			`${name} ${value}`.toLowerCase().includes(searchText);
		let pages = 0;
		let last: INodeListSearchResult = { results: [] };
		for await (const { entries, next } of readPickerPages(this, picker, from)) {
			last = { results: entries.filter(matches), paginationToken: next };
			if (last.results.length > 0 || ++pages === MAX_PICKER_PAGES) break;
		}
		return last;
	};

/** Creates a method for a multiple selection. n8n filters the entries itself, so it reads all of them. */
const createOptions = (picker: Picker) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const options: INodePropertyOptions[] = [];
		for await (const { entries } of readPickerPages(this, picker)) options.push(...entries);
		return options;
	};

/** Reads the locator as it is, because n8n fails to extract the value if the operation has no such field. */
const readChosen = (context: ILoadOptionsFunctions, name: string): unknown => {
	const locator = context.getCurrentNodeParameter(name);
	return isRecord(locator) && 'value' in locator
		? (locator as unknown as INodeParameterResourceLocator).value
		: locator;
};

/** Returns the site that a project names, or its list of sites: the API document shows neither. */
function findSites({ siteId, sites, name: ofProject }: IDataObject): PickerEntry[] {
	const namedSites = Array.isArray(sites) ? (sites as unknown[]) : [{ id: siteId }];
	return namedSites.filter(isRecord).flatMap(({ id, name }) => {
		const title = nonEmptyText(name) ?? nonEmptyText(ofProject);
		return isId(id) ? [{ value: id.toLowerCase(), name: title ?? id }] : [];
	});
}

const searchSites = createSearch({ operation: 'listProjects', itemsOf: findSites });

function requireFilesProject(context: ILoadOptionsFunctions): Values {
	// The trigger takes several projects, but a folder is in one.
	const several = context.getCurrentNodeParameter('projectIds') as unknown[] | undefined;
	const projectId = [readChosen(context, 'projectId'), several?.[0]].find(isId);
	if (projectId !== undefined) return { projectId: projectId.toLowerCase() };
	throw new WorkspaceAutomationError(
		'No project is chosen',
		"Files are listed by project: choose one under 'Project' (in the trigger 'Project Names or IDs'), or enter an ID with 'By ID'.",
	);
}

export const searches = {
	getProjects: createSearch({ operation: 'listProjects' }),
	getTasks: createSearch({ operation: 'listTasks' }),
	getFiles: createSearch({ operation: 'listFiles', valuesOf: requireFilesProject }),
	getFolders: createSearch({
		operation: 'listFiles',
		valuesOf: requireFilesProject,
		keep: ({ kind }) => kind === 'folder',
	}),
	getProducts: createSearch({
		operation: 'listProducts',
		valuesOf: (context) => ({ projectId: requireId('Project', readChosen(context, 'projectId')) }),
	}),
	/** The service has no list of sites, so only its projects may name some. */
	async getSites(this: ILoadOptionsFunctions, filter?: string, from?: string) {
		const found = await searchSites.call(this, filter, from);
		if (found.results.length > 0 || filter || from) return found;
		const error = new WorkspaceAutomationError(
			'The service shows no sites',
			"Choose 'By ID', and enter the ID of the site. The API lists no sites, so ask the service for the ID.",
		);
		throw toNodeError(this.getNode(), error, 0);
	},
	// The service lists domains by site only.
	getCustomDomains: createSearch({
		operation: 'listCustomDomains',
		valuesOf: (context) => ({
			siteId: requireId('Site', readChosen(context, 'siteId')),
		}),
	}),
};

export const optionLists = {
	getProjectOptions: createOptions({ operation: 'listProjects' }),
	getTaskOptions: createOptions({ operation: 'listTasks' }),
};
