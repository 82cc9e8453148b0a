// Ninety days of visits, the same at every start: where they came from, what they viewed, what they bought.
import { getId, getNumber } from '../ids.mts';
import type { Project } from '../state.mts';
import type { ExchangeRate, TrafficEvent } from './schema.mts';

const DAYS = 90;
const DAY_MS = 86_400_000;
/** Number of projects with visits: four in each of three workspaces */
const PROJECTS = 12;

/** Sources of visits: their share in percent, and buyers in a thousand. '' is direct. */
const SOURCES = [
	{ source: 'google', share: 38, buyers: 45 },
	{ source: '', share: 22, buyers: 60 },
	{ source: 'instagram', share: 18, buyers: 25 },
	{ source: 'newsletter', share: 14, buyers: 110 },
	{ source: 'partner', share: 8, buyers: 80 },
];

const PAGES = [
	{ path: '/', title: 'Home' },
	{ path: '/about', title: 'About us' },
	{ path: '/blog/spring', title: 'Spring is here' },
	{ path: '/blog/how-we-work', title: 'How we work' },
	{ path: '/contact', title: 'Contact' },
	{ path: '/shop', title: 'Shop' },
	{ path: '/shop/gift-card', title: 'Gift card' },
	{ path: '/shop/tote-bag', title: 'Tote bag' },
];

/** Units per US dollar; the rate of a day differs by up to a fiftieth */
const RATES = { USD: 1, EUR: 0.92, GBP: 0.79, JPY: 151 };

const CART = { name: 'cart_view', path: '/cart', title: 'Cart' } as const;
const CHECKOUT = { name: 'checkout_view', path: '/checkout', title: 'Checkout' } as const;
const BOUGHT = { name: 'purchase', path: '/checkout', title: 'Checkout' } as const;

const getDay = (time: number) => new Date(time).toISOString().slice(0, 10);
const moment = (time: number) => new Date(time).toISOString().slice(0, 23).replace('T', ' ');
/** The events of the 90 days up to `now` (milliseconds), and the exchange rates of these days. Projects of one workspace are siblings. */
export function getTraffic(
	projects: Project[],
	now: number,
): { events: TrafficEvent[]; rates: ExchangeRate[] } {
	const busy = projects.slice(0, PROJECTS);
	const today = Math.floor(now / DAY_MS) * DAY_MS;
	const days = Array.from({ length: DAYS }, (_, ago) => today - (DAYS - 1 - ago) * DAY_MS);
	const events = days.flatMap((day) =>
		busy.flatMap((project, index) => getVisits(project, index, busy, day, today)),
	);
	return {
		events: events.filter(({ date }) => date <= moment(now)),
		rates: days.flatMap((day) =>
			Object.entries(RATES).map(([code, rate]) => ({
				date: getDay(day),
				code,
				rate: code === 'USD' ? 1 : wobble(rate, code, day),
			})),
		),
	};
}

const wobble = (rate: number, code: string, day: number) =>
	Number((rate * (1 + (getNumber(`rate:${code}:${getDay(day)}`, 41) - 20) / 1000)).toFixed(4));

/** The visits to a project on a day: fewer for later projects and at weekends. */
function getVisits(
	project: Project,
	index: number,
	busy: Project[],
	day: number,
	today: number,
): TrafficEvent[] {
	const weekend = [0, 6].includes(new Date(day).getUTCDay());
	const count =
		Math.round((16 - index) * (weekend ? 0.6 : 1)) + getNumber(`visits:${index}:${getDay(day)}`, 5);
	const siblings = busy.filter(({ workspaceId }) => workspaceId === project.workspaceId);
	const shops = siblings.filter(sells);
	return Array.from({ length: count }, (_, n) =>
		visit(`${index}:${getDay(day)}:${n}`, project, shops, day, today),
	).flat();
}

/** Since yesterday the checkout is broken: this share of those who would buy still does. */
const BROKEN_CHECKOUT = 0.1;

function visit(
	seed: string,
	project: Project,
	shops: Project[],
	day: number,
	today: number,
): TrafficEvent[] {
	const pick = (what: string, below: number) => getNumber(`${what}:${seed}`, below);
	// One visit in three continues to the workspace's first shop
	const shop = pick('shop', 3) === 0 || !shops.includes(project) ? shops[0] : project;
	const { source, buyers } = sourceAt(pick('source', 100));
	const buys =
		shops.length > 0 && pick('buys', 1000) < buyers * (day >= today - DAY_MS ? BROKEN_CHECKOUT : 1);
	const common = {
		namespace: project.workspaceId,
		subject: getId(`visit:${seed}`),
		utm_source: source,
	};

	let time = day + pick('hour', 20 * 3600) * 1000;
	const at = (
		place: Project,
		page: { name: TrafficEvent['name']; path: string; title: string },
		amount = 0,
	): TrafficEvent => {
		const date = moment(time);
		time += (10 + getNumber(`${seed}:${time}`, 170)) * 1000 + getNumber(`ms:${seed}:${time}`, 1000);
		return {
			...common,
			project: place.id,
			date,
			domain: getDomain(place),
			currencyCode: place.currency,
			amount,
			...page,
		};
	};
	const looks = Array.from({ length: 1 + pick('looks', 5) }, (_, n) =>
		at(project, { name: 'page_view', ...pageAt(pick(`page:${n}`, 1000), n) }),
	);
	if (!buys) return pick('cart', 12) === 0 && shops.length > 0 ? [...looks, at(shop, CART)] : looks;
	// A visitor who buys at a sibling views its shop first
	const there =
		shop === project ? [] : [at(shop, { name: 'page_view', path: '/shop', title: 'Shop' })];
	return [
		...looks,
		...there,
		at(shop, CART),
		at(shop, CHECKOUT),
		at(shop, BOUGHT, price(pick('price', 9000), shop.currency)),
	];
}

function sourceAt(percent: number) {
	let sum = 0;
	return SOURCES.find(({ share }) => percent < (sum += share))!;
}

/** Most visits begin at the home page; the other pages differ in popularity. */
const pageAt = (chance: number, n: number) =>
	n === 0 && chance < 550 ? PAGES[0] : PAGES[Math.floor((chance / 1000) ** 1.5 * PAGES.length)];

const sells = ({ checkoutProvider }: Project) => checkoutProvider !== undefined;
const getDomain = ({ name }: Project) =>
	`www.${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example`;

/** The equivalent of 8 to 98 US dollars, with the currency's usual decimals */
function price(cents: number, currency: string): number {
	const amount = (8 + cents / 100) * (RATES[currency as keyof typeof RATES] ?? 1);
	return currency === 'JPY' ? Math.round(amount) : Math.round(amount * 100) / 100;
}
