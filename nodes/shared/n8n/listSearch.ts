import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { loadCode } from './loadCode';

const loadPickers = async () => await loadCode(async () => await import('./pickers.ts'));

type SearchName = keyof (typeof import('./pickers.ts'))['searches'];
type OptionListName = keyof (typeof import('./pickers.ts'))['optionLists'];

const lazySearch = (name: SearchName) =>
	async function (
		this: ILoadOptionsFunctions,
		filter?: string,
		from?: string,
	): Promise<INodeListSearchResult> {
		return await (await loadPickers()).searches[name].call(this, filter, from);
	};

const lazyOptions = (name: OptionListName) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		return await (await loadPickers()).optionLists[name].call(this);
	};

export const getProjects = lazySearch('getProjects');

export const listSearch = {
	getProjects,
	getTasks: lazySearch('getTasks'),
	getFiles: lazySearch('getFiles'),
	getFolders: lazySearch('getFolders'),
	getProducts: lazySearch('getProducts'),
	getSites: lazySearch('getSites'),
	getCustomDomains: lazySearch('getCustomDomains'),
} satisfies Record<SearchName, unknown>;

export const loadOptions = {
	getProjectOptions: lazyOptions('getProjectOptions'),
	getTaskOptions: lazyOptions('getTaskOptions'),
} satisfies Record<OptionListName, unknown>;
