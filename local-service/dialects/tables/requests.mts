// Requests that look otherwise than we assume. The credential needs an override for each.
import type { Dialect } from '../dialect.mts';

export const requestForms = {
	'prompt-in-input': {
		summary: "A session's prompt is in input.text",
		requests: { createAgentSession: { body: { input: { text: '{prompt}' } } } },
	},
	'message-parts': {
		summary: 'A message is a list of parts',
		requests: { sendAgentMessage: { body: { content: [{ type: 'text', text: '{text}' }] } } },
	},
	'nested-decision': {
		summary: 'A decision is in response.value, beside response.type',
		requests: {
			resolveInteraction: { body: { response: { type: 'choice', value: '{option}' } } },
		},
	},
	'separate-rename-and-move': {
		summary: 'Renaming and moving have separate endpoints',
		requests: {
			renameFile: {
				method: 'POST',
				path: '/files/{fileId}/rename',
				body: { title: '{name}' },
			},
			moveFile: {
				method: 'POST',
				path: '/files/{fileId}/move',
				body: { folder_id: '{parentId}' },
			},
		},
	},
	'other-file-sources': {
		summary: 'A file from base64 has source.base64 and source.mime, one from an asset source.asset',
		requests: {
			createFile: {
				body: { source: { base64: '{data}', mime: '{contentType}', asset: '{assetId}' } },
			},
		},
	},
	'other-versions': {
		summary: 'Tasks are read, and domains listed, with the current version',
		requests: {
			getTask: { version: '2026-10-05' },
			listCustomDomains: { version: '2026-10-05' },
		},
	},
} satisfies Record<string, Dialect>;
