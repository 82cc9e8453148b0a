// Serves downloads by signed URL, and the pages that the API links to.
import type { FastifyInstance } from 'fastify';
import { sessionAt } from './agent/session.mts';
import { isDenial } from './agent/story.mts';
import { showSession } from './agent/view.mts';
import { isValidUrl } from './file-content.mts';
import type { ServiceState } from './state.mts';

const escape = (text: string) =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const html = (title: string, content: string) =>
	`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head>` +
	`<body style="font: 16px system-ui; max-width: 48rem; margin: 3rem auto"><h1>${escape(title)}</h1>${content}</body></html>`;

/** The links of a page to its own host */
const showLinks = (text: string): string =>
	[...text.matchAll(/href="(\/[^"]*)"/g)]
		.map(([, path]) => `<p><a href="${escape(path)}">${escape(path)}</a></p>`)
		.join('');

/** The files that the agents of a project have edited, as they are now. */
function showEdits({ store, clock }: ServiceState, projectId: string): string {
	const edits = [...store.sessions.values()]
		.filter((session) => session.projectId === projectId)
		.flatMap((session) => sessionAt(session, clock.now()).interactions)
		.flatMap((interaction) => {
			if (interaction.type !== 'permission' || interaction.permission !== 'edit') return [];
			const { patterns, value = 'reject', change, resolvedAt = 0 } = interaction;
			const text = change?.after ?? 'Edited by the agent';
			return isDenial(value) ? [] : patterns.map((path) => ({ path, text, at: resolvedAt }));
		})
		.sort((one, other) => one.at - other.at);
	return [...new Map(edits.map(({ path, text }) => [path, text]))]
		.map(([path, text]) => `<h2>${escape(path)}</h2><pre>${escape(text)}</pre>${showLinks(text)}`)
		.join('');
}

/** The `Content-Disposition` of a download, for any file name. */
const attachment = (name: string) =>
	`attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;

/** Registers the pages; they require no key. */
export function registerPages(app: FastifyInstance, state: ServiceState): void {
	type Download = {
		Params: { fileId: string };
		Querystring: { expires?: string; signature?: string };
	};
	app.get<Download>('/downloads/:fileId/:name', ({ params, query }, reply) => {
		const file = state.store.files.get(params.fileId);
		if (!file || !isValidUrl(params.fileId, query, state.clock.now())) {
			return reply
				.status(403)
				.type('text/plain')
				.send('This download link is invalid or has expired.');
		}
		return reply
			.type(file.contentType ?? 'application/octet-stream')
			.header('content-disposition', attachment(file.name))
			.send(file.content);
	});

	app.get<{ Params: { previewId: string } }>('/previews/:previewId', ({ params }, reply) => {
		const preview = state.store.previews.get(params.previewId);
		const site = preview && state.store.sites.get(preview.siteId);
		if (!preview || !site)
			return reply.status(404).type('text/html').send(html('This preview does not exist', ''));
		return reply
			.type('text/html')
			.send(
				html(
					site.name,
					`<p>Preview of ${escape(preview.route)} (${escape(preview.locale)})</p>${showEdits(state, preview.projectId)}`,
				),
			);
	});

	app.get<{ Params: { sessionId: string } }>(
		'/dashboard/sessions/:sessionId',
		({ params }, reply) => {
			const session = state.store.sessions.get(params.sessionId);
			if (!session)
				return reply.status(404).type('text/html').send(html('There is no such session', ''));
			const shown = showSession(session, sessionAt(session, state.clock.now()), '');
			const content = `<p>${escape(session.prompt)}</p><pre style="white-space: pre-wrap">${escape(JSON.stringify(shown, null, 2))}</pre>`;
			return reply.type('text/html').send(html(`Agent session: ${shown.status}`, content));
		},
	);
}
