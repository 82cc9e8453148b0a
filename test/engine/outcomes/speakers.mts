// Everything that speaks to the service, each used once by someone who knows what has to come of it. What came of it is read in the
// service's own state, through the control API; nothing here knows how the package works.
import type { IDataObject } from 'n8n-workflow';
import { byId, type World } from './world.mts';

export interface Speaker {
	name: string;
	/** Things that may exist after an error only if the error says so, beyond the number that the use needs */
	makes?: { what: 'sessions' | 'turns' | 'files' | 'products'; beyond?: number };
	/**
	 * Uses it, and says what is wrong, in the words of the state: undefined when all is right.
	 * @throws the error that a user would see
	 */
	use(world: World): Promise<string | undefined>;
}

type Thing = Record<string, unknown>;

/** An entry as the item has it, by its id; a simplified domain may be left with its name alone. */
const getId = (entry: Thing) => String(entry.id ?? entry.uuid ?? entry.sku ?? entry.domain);
const sorted = (ids: unknown[]) => ids.map(String).sort();
const same = (found: unknown[], wanted: unknown[]) =>
	JSON.stringify(sorted(found)) === JSON.stringify(sorted(wanted));

/** Returns the problems of a list of ids. */
function wrongIds(found: unknown[], wanted: unknown[]): string | undefined {
	if (same(found, wanted)) return undefined;
	const twice = found.length - new Set(found.map(String)).size;
	return `${found.length} of ${wanted.length} entries${twice > 0 ? `, ${twice} of them twice` : ''}`;
}

/** Returns the differences from the wanted values: `{ 'the name': [found, wanted] }` */
function differences(pairs: Record<string, [unknown, unknown]>): string | undefined {
	const wrong = Object.entries(pairs).filter(
		([, [found, wanted]]) => JSON.stringify(found) !== JSON.stringify(wanted),
	);
	if (wrong.length === 0) return undefined;
	return wrong
		.map(
			([what, [found, wanted]]) =>
				`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`,
		)
		.join('; ');
}

const inProject = ({ projectId }: World, things: Array<{ projectId?: string }>) =>
	things.filter((thing) => thing.projectId === projectId) as unknown as Thing[];
const inFolder = ({ folderId, seed }: World) =>
	seed.files.filter(({ parentId }) => parentId === folderId);
const allFiles = (world: World) => inProject(world, [...world.seed.folders, ...world.seed.files]);

/** A list: its parameters, and what has to come */
const list = (
	does: string,
	parameters: (world: World) => IDataObject,
	wanted: (world: World) => Array<{ id: unknown }>,
	label = does,
): Speaker => ({
	name: label,
	async use(world) {
		const items = await world.operation(does, { returnAll: true, ...parameters(world) });
		return wrongIds(
			items.map(getId),
			wanted(world).map(({ id }) => id),
		);
	},
});

const files = (world: World) => ({ projectId: byId(world.projectId) });

const lists: Speaker[] = [
	list(
		'project.getAll',
		() => ({}),
		({ seed }) => seed.projects,
	),
	list(
		'task.getAll',
		() => ({}),
		({ seed }) => seed.tasks,
	),
	list('file.getAll', files, (world) => allFiles(world) as Array<{ id: unknown }>),
	list(
		'file.getAll',
		(world) => ({ ...files(world), filters: { parentId: byId(world.folderId) } }),
		inFolder,
		'file.getAll of a folder',
	),
	list(
		'customDomain.getAll',
		({ siteId }) => ({ siteId }),
		({ seed, siteId }) => seed.domains.filter((domain) => domain.siteId === siteId),
	),
	list(
		'product.getAll',
		files,
		(world) => inProject(world, world.seed.products) as Array<{ id: unknown }>,
	),
	{
		name: 'file.getAll with a limit',
		async use(world) {
			const filters = { parentId: byId(world.folderId) };
			const items = await world.operation('file.getAll', { ...files(world), filters, limit: 120 });
			const ids = new Set(items.map(getId));
			const known = new Set(inFolder(world).map(({ id }) => id));
			return differences({
				'the number of entries': [ids.size, 120],
				'how many are of the folder': [[...ids].filter((id) => known.has(id)).length, 120],
			});
		},
	},
];

const single: Speaker[] = [
	{
		name: 'task.get',
		async use(world) {
			const [{ id, title }] = world.seed.tasks;
			const [item] = await world.operation('task.get', { taskId: byId(id) });
			return differences({
				'the task': [
					[item.id, item.title],
					[id, title],
				],
			});
		},
	},
	{
		name: 'task.update',
		async use(world) {
			const [{ id }] = world.seed.tasks;
			const title = 'Another title';
			const [item] = await world.operation('task.update', {
				taskId: byId(id),
				updateFields: { title },
			});
			const now = world.seed.tasks.find((task) => task.id === id);
			return differences({ 'the title': [now?.title, title], 'the item': [item.title, title] });
		},
	},
	{
		name: 'file.get',
		async use(world) {
			const [file] = inFolder(world);
			const [item] = await world.operation('file.get', { fileId: byId(file.id) });
			return differences({
				'the file': [
					[item.id, item.name],
					[file.id, file.name],
				],
			});
		},
	},
	{
		name: 'file.rename',
		async use(world) {
			const { id } = inFolder(world)[1];
			await world.operation('file.rename', { fileId: byId(id), name: 'renamed.md' });
			const now = allFiles(world).find((file) => file.id === id);
			return differences({ 'the name': [now?.name, 'renamed.md'] });
		},
	},
	{
		name: 'file.move',
		async use(world) {
			const { id } = inFolder(world)[2];
			const other = world.seed.folders.find(
				(folder) => folder.projectId === world.projectId && folder.id !== world.folderId,
			)!;
			await world.operation('file.move', { fileId: byId(id), parentId: byId(other.id) });
			const now = allFiles(world).find((file) => file.id === id);
			return differences({ 'the folder': [now?.parentId, other.id] });
		},
	},
	{
		name: 'file.getContent',
		async use(world) {
			const readme = allFiles(world).find(({ name }) => name === 'readme.md')!;
			const [item] = await world.operation('file.getContent', { fileId: byId(readme.id) });
			return differences({
				'the text': [String(item.text).slice(0, 19), '# Working documents'],
			});
		},
	},
	{
		name: 'file.getContent as a download',
		async use(world) {
			const file = world.seed.files.find(
				({ name, projectId }) => name === 'team.jpg' && projectId === world.projectId,
			)!;
			const [item] = await world.operation('file.getContent', {
				fileId: byId(file.id),
				outputAs: 'binary',
			});
			const bytes = Buffer.from(item.binary?.data?.data ?? '', 'base64').length;
			return differences({ 'its size': [bytes, file.sizeBytes] });
		},
	},
	{
		name: 'customDomain.delete',
		async use(world) {
			const { id } = world.seed.domains[0];
			const [item] = await world.operation('customDomain.delete', { customDomainId: byId(id) });
			const { domains } = world.seed;
			return differences({
				'whether it is still there': [domains.some((domain) => domain.id === id), false],
				'the item': [
					[item.id, item.deleted],
					[id, true],
				],
			});
		},
	},
	{
		name: 'product.update',
		async use(world) {
			const [{ id }] = inProject(world, world.seed.products);
			await world.operation('product.update', {
				projectId: byId(world.projectId),
				productId: byId(id),
				fields: '{"price":5}',
			});
			const now = world.seed.products.find((product) => product.id === id);
			return differences({ 'the price': [now?.price, 5] });
		},
	},
	{
		name: 'sharedPreview.create',
		async use(world) {
			const { projectId, siteId } = world;
			const [item] = await world.operation('sharedPreview.create', {
				projectId: byId(projectId),
				siteId,
				route: '/',
			});
			return differences({ 'whether there is a link': [/^http/.test(String(item.url)), true] });
		},
	},
	{
		name: 'analytics.query',
		async use(world) {
			const items = await world.operation('analytics.query', { query: 'SELECT 7 AS seven' });
			return differences({ 'the rows': [items, [{ seven: 7, pairedItem: { item: 0 } }]] });
		},
	},
];

/** Creates a file, and looks where it is. */
const creates = (
	name: string,
	file: string,
	parameters: (world: World) => IDataObject,
	wanted: (world: World) => Thing,
	more = {},
	operation = 'file.create',
): Speaker => ({
	name,
	makes: { what: 'files' },
	async use(world) {
		await world.operation(
			operation,
			{ ...files(world), name: file, parentId: byId(world.folderId), ...parameters(world) },
			more,
		);
		const found = allFiles(world).filter(({ name }) => name === file);
		const expected = wanted(world);
		return differences({
			'the number of such files': [found.length, 1],
			...Object.fromEntries(
				Object.entries({ parentId: world.folderId, ...expected }).map(([field, value]) => [
					`its ${field}`,
					[found[0]?.[field], value],
				]),
			),
		});
	},
});

const bytes = Buffer.from([0, 200, 255]);
const binary = [
	{ data: { data: bytes.toString('base64'), mimeType: 'image/webp', fileName: 'x.webp' } },
];
const getAsset = (world: World) => inProject(world, world.seed.assets)[0];

const creating: Speaker[] = [
	creates(
		'file.createFolder',
		'New folder',
		() => ({}),
		() => ({}),
		{},
		'file.createFolder',
	),
	creates(
		'file.create from text',
		'a.md',
		() => ({ contentSource: 'text', text: 'Hello' }),
		() => ({ sizeBytes: 5 }),
	),
	creates(
		'file.create from binary data',
		'x.webp',
		() => ({ contentSource: 'binary', binaryPropertyName: 'data' }),
		() => ({ sizeBytes: 3, contentType: 'image/webp' }),
		{ binary },
	),
	creates(
		'file.create from an asset',
		'copy.png',
		(world) => ({ contentSource: 'asset', assetId: String(getAsset(world).id) }),
		(world) => ({ sizeBytes: getAsset(world).sizeBytes }),
	),
	{
		name: 'file.create that exists',
		async use(world) {
			// Another file of that name is in another folder.
			const [file] = inFolder(world).slice(3);
			const other = world.seed.folders.find(({ id }) => id !== world.folderId)!;
			await world.control.files.add({
				projectId: world.projectId,
				parentId: other.id,
				name: file.name,
			});
			world.settle();
			const [item] = await world.operation('file.create', {
				...files(world),
				name: file.name,
				parentId: byId(world.folderId),
				contentSource: 'text',
				text: 'Hello',
				ifExists: 'skip',
			});
			return differences({ 'the item': [item.id, file.id] });
		},
	},
	{
		name: 'product.create',
		makes: { what: 'products' },
		async use(world) {
			const countProducts = () =>
				inProject(world, world.seed.products).filter(({ name }) => name === 'Gift card').length;
			const before = countProducts();
			await world.operation('product.create', {
				projectId: byId(world.projectId),
				fields: '{"name":"Gift card"}',
			});
			return differences({ 'the number of such products': [countProducts() - before, 1] });
		},
	},
];

export const operationSpeakers = {
	Lists: lists,
	'Single things': single,
	'Creating files and products': creating,
};
export { differences, wrongIds };
