// Every handler, by operationId.
import { agentSessionRoutes } from './agent-sessions.mts';
import { analyticsRoutes } from './analytics.mts';
import { customDomainRoutes } from './custom-domains.mts';
import { fileRoutes } from './files.mts';
import { productRoutes } from './products.mts';
import { projectRoutes } from './projects.mts';
import type { Handler, Routes } from './route.mts';
import { sharedPreviewRoutes } from './shared-previews.mts';
import { taskRoutes } from './tasks.mts';

const all: Routes[] = [
	projectRoutes,
	taskRoutes,
	agentSessionRoutes,
	fileRoutes,
	customDomainRoutes,
	sharedPreviewRoutes,
	analyticsRoutes,
	productRoutes,
];

/** The handlers for a state. They read `state.store` at every call, so it may be replaced. */
export const routes = (state: Parameters<Routes>[0]): Record<string, Handler> =>
	Object.assign({}, ...all.map((routesOf) => routesOf(state)));
