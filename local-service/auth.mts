// API keys: what each may do, and in which projects.
import { operations } from '../openapi/contract.mts';
import { ApiError, notFound } from './errors.mts';

export interface Key {
	token: string;
	/** Shown in the record of requests, which never shows the token */
	name: string;
	scopes: ReadonlySet<string>;
	/** The projects it can act on */
	projects: 'all' | ReadonlySet<string>;
}

/** Every scope: those that operations require, and the one that copying an Asset requires, too. */
export const allScopes: string[] = [
	...new Set([...operations.flatMap(({ scopes }) => scopes), 'assets.read']),
];

/** The keys that exist at every start. */
export const mainToken = 'wa_local_main_key';
export const noProjectsToken = 'wa_local_no_projects_key';

export const startingKeys = (): Key[] => [
	{ token: mainToken, name: 'main', scopes: new Set(allScopes), projects: 'all' },
	{ token: noProjectsToken, name: 'no projects', scopes: new Set(allScopes), projects: new Set() },
];

export const mayActOn = (key: Key, projectId: string): boolean =>
	key.projects === 'all' || key.projects.has(projectId);

/** The key of an `Authorization` header; undefined when there is none or it is unknown. */
export function findKey(
	keys: ReadonlyMap<string, Key>,
	header: string | undefined,
): Key | undefined {
	const [, token] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
	return token === undefined ? undefined : keys.get(token);
}

/** @throws ApiError `unauthorized` */
export function authenticate(keys: ReadonlyMap<string, Key>, header: string | undefined): Key {
	const key = findKey(keys, header);
	if (!key)
		throw new ApiError(
			'unauthorized',
			'The API token is missing or not valid. Send it as `Authorization: Bearer <token>`.',
		);
	return key;
}

/** @throws ApiError `not_found`, the same as for a missing resource */
export function requireScopes(key: Key, scopes: readonly string[]): void {
	if (!scopes.every((scope) => key.scopes.has(scope))) throw notFound();
}
