// State of the service in memory.
import type { Analytics } from './analytics/analytics.mts';
import type { SessionLog } from './agent/model.mts';
import type { Key } from './auth.mts';
import type { Clock } from './clock.mts';
import type { Collection } from './collection.mts';
import type { FileStore } from './file-store.mts';
import type { Lateness } from './lateness.mts';

export interface Workspace {
	id: string;
	name: string;
}

export interface Project {
	id: string;
	name: string;
	workspaceId: string;
	timeZone: string;
	currency: string;
	supportEmail: string;
	checkoutProvider?: string;
}

/** Times are milliseconds of service time. */
export interface Task {
	id: string;
	projectId: string;
	title: string;
	emoji: string;
	rrule: string;
	/** Stored and never returned */
	prompt: string;
	/** The last run that the control API brought forward, until the rule changes */
	ranUntil?: number;
	createdAt: number;
	updatedAt: number;
}

export interface Site {
	id: string;
	projectId: string;
	name: string;
	defaultLocale: string;
}

export interface CustomDomain {
	id: string;
	siteId: string;
	domain: string;
	status: string;
	stale: boolean;
	/** Milliseconds of service time */
	tokenExpiresAt: number;
}

/** An item of the media library, which files can be created from */
export interface Asset {
	id: string;
	projectId: string;
	name: string;
	contentType: string;
	content: Buffer;
}

export interface Product extends Record<string, unknown> {
	id: string;
	projectId: string;
}

export interface SharedPreview {
	id: string;
	projectId: string;
	siteId: string;
	route: string;
	locale: string;
}

export interface Session extends SessionLog {
	projectId: string;
	/** Number of times that its status was read */
	polls: number;
}

export interface Store {
	keys: Map<string, Key>;
	workspaces: Workspace[];
	projects: Collection<Project>;
	tasks: Collection<Task>;
	sites: Collection<Site>;
	domains: Collection<CustomDomain>;
	assets: Collection<Asset>;
	files: FileStore;
	products: Collection<Product>;
	/** By id */
	previews: Map<string, SharedPreview>;
	sessions: Map<string, Session>;
}

/** Everything that handlers work with. */
export interface ServiceState {
	clock: Clock;
	/** Replaced as a whole by a reset */
	store: Store;
	analytics: Analytics;
	/** Delays of changes */
	lateness: Lateness;
}
