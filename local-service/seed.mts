// Data at every start: always the same, and enough for several pages.
import { startingKeys } from './auth.mts';
import { createCollection } from './collection.mts';
import { createFileStore } from './file-store.mts';
import { getId, getNumber } from './ids.mts';
import { seedFiles } from './seed-files.mts';
import type { Asset, CustomDomain, Product, Project, Site, Store, Task } from './state.mts';

const day = 86_400_000;

const workspaceNames = ['Northlight Agency', 'Harbor & Pine', 'Atelier Fields'];
const firstNames = [
	'Juniper',
	'Copper',
	'Willow',
	'Marble',
	'Saffron',
	'Cedar',
	'Lantern',
	'Meadow',
	'Ember',
	'Indigo',
	'Pebble',
	'Orchard',
	'Velvet',
];
const secondNames = [
	'Coffee',
	'Studio',
	'Bakery',
	'Yoga',
	'Books',
	'Dental',
	'Gardens',
	'Cycling',
	'Ceramics',
	'Travel',
];
const places = [
	{ timeZone: 'Europe/Berlin', currency: 'EUR' },
	{ timeZone: 'America/New_York', currency: 'USD' },
	{ timeZone: 'Asia/Tokyo', currency: 'JPY' },
	{ timeZone: 'Europe/London', currency: 'GBP' },
];
const taskTemplates = [
	{
		title: 'Weekly analytics digest',
		emoji: '📊',
		rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0',
		prompt: 'Summarise last week’s traffic and revenue.',
	},
	{
		title: 'Check broken links',
		emoji: '🔗',
		rrule: 'FREQ=DAILY;BYHOUR=6;BYMINUTE=30',
		prompt: 'Open every page and report links that fail.',
	},
	{
		title: 'Refresh the blog index',
		emoji: '📝',
		rrule: 'FREQ=WEEKLY;BYDAY=TU,FR;BYHOUR=14;BYMINUTE=0',
		prompt: 'Rebuild the blog index from the latest posts.',
	},
	{
		title: 'Monthly content audit',
		emoji: '🗓️',
		rrule: 'FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=8;BYMINUTE=0',
		prompt: 'List pages that nobody has touched for half a year.',
	},
	{
		title: 'Compress new images',
		emoji: '🖼️',
		rrule: 'FREQ=DAILY;BYHOUR=2;BYMINUTE=0',
		prompt: 'Compress images that were added yesterday.',
	},
];
const products = [
	'Gift card',
	'House blend 250 g',
	'Linen apron',
	'Stoneware mug',
	'Workshop seat',
	'Tote bag',
];

// Data without a time is made once, because tests start and reset many services.

const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const workspaces = workspaceNames.map((name, index) => ({ id: getId(`workspace:${index}`), name }));

/** 130 projects, over the workspaces in turn */
const projects: Project[] = firstNames
	.flatMap((first) => secondNames.map((second) => `${first} ${second}`))
	.map((name, index) => ({
		id: getId(`project:${index}`),
		name,
		workspaceId: workspaces[index % workspaces.length].id,
		...places[index % places.length],
		supportEmail: `hello@${slug(name)}.example`,
		// Not every project sells something
		...(index % 3 !== 2 && { checkoutProvider: 'commerce_platform' }),
	}));

/** Two or three for each project */
const sites: Site[] = projects.flatMap((project, index) =>
	['Main site', 'Shop', 'Campaign'].slice(0, 2 + (index % 2)).map((name, n) => ({
		id: getId(`site:${index}:${n}`),
		projectId: project.id,
		name,
		defaultLocale: n === 2 ? 'de-DE' : 'en-US',
	})),
);

/** One for each of the first sixty projects */
const tasks = (now: number): Task[] =>
	projects.slice(0, 60).map((project, index) => {
		const createdAt = now - (90 - index) * day;
		const template = taskTemplates[index % taskTemplates.length];
		return {
			...template,
			id: getId(`task:${index}`),
			projectId: project.id,
			title: `${template.title}: ${project.name}`,
			createdAt,
			updatedAt: createdAt,
		};
	});

const domainTemplates = [
	{ prefix: 'www.', status: 'active', stale: false },
	{ prefix: '', status: 'pending', stale: false },
	{ prefix: 'old.', status: 'pending', stale: true },
];

const projectNames = new Map(projects.map(({ id, name }) => [id, name]));

/** Three for each site; the first has 25 more, so that its list has several pages */
const domains = sites.flatMap((site, index) => {
	const name = slug(projectNames.get(site.projectId)!);
	const extra = Array.from({ length: index === 0 ? 25 : 0 }, (_, n) => ({
		prefix: `region-${n + 1}.`,
		status: 'active',
		stale: false,
	}));
	const ofSite = site.name === 'Main site' ? '' : `-${slug(site.name)}`;
	return [...domainTemplates, ...extra].map(({ prefix, status, stale }) => ({
		id: getId(`domain:${index}:${prefix}`),
		siteId: site.id,
		domain: `${prefix}${name}${ofSite}.example`,
		status,
		stale,
	}));
});

const withExpiry = (domain: Omit<CustomDomain, 'tokenExpiresAt'>, now: number): CustomDomain => ({
	...domain,
	tokenExpiresAt: now + (domain.stale ? -2 : 5) * day,
});

const pixel = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
	'base64',
);

/** Three for each of the first ten projects */
const assets: Asset[] = projects.slice(0, 10).flatMap((project, index) => [
	{
		id: getId(`asset:${index}:0`),
		projectId: project.id,
		name: 'logo.png',
		contentType: 'image/png',
		content: pixel,
	},
	{
		id: getId(`asset:${index}:1`),
		projectId: project.id,
		name: 'slogan.txt',
		contentType: 'text/plain',
		content: Buffer.from(`${project.name}, since 1998\n`),
	},
	{
		id: getId(`asset:${index}:2`),
		projectId: project.id,
		name: 'hero.png',
		contentType: 'image/png',
		content: pixel,
	},
]);

/** Some for each project that sells; prices are numbers in the project's currency */
const goods: Product[] = projects.flatMap((project, index) =>
	project.checkoutProvider === undefined
		? []
		: products.map((name, n) => ({
				id: getId(`product:${index}:${n}`),
				projectId: project.id,
				name,
				price: 5 + getNumber(`price:${index}:${n}`, 90),
				currency: project.currency,
				published: n % 4 !== 3,
			})),
);

/** A collection with these items. */
function filled<T extends { id: string }>(items: T[], groupOf?: (item: T) => string) {
	const collection = createCollection<T>(groupOf);
	for (const item of items) collection.add(item);
	return collection;
}

/** Returns the data of a start or reset. Times are relative to `now`, milliseconds of service time. */
export function seed(now: number): Store {
	const files = createFileStore();
	for (const file of seedFiles(
		projects.map(({ id }) => id),
		now,
	))
		files.add(file);
	return {
		keys: new Map(startingKeys().map((key) => [key.token, key])),
		workspaces,
		// Copies, because the control API may change them
		projects: filled(projects.map((project) => ({ ...project }))),
		tasks: filled(tasks(now)),
		sites: filled(sites, ({ projectId }) => projectId),
		domains: filled(
			domains.map((domain) => withExpiry(domain, now)),
			({ siteId }) => siteId,
		),
		assets: filled(assets),
		files,
		products: filled(
			goods.map((product) => ({ ...product })),
			({ projectId }) => projectId,
		),
		previews: new Map(),
		sessions: new Map(),
	};
}
