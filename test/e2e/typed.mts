// A Run Agent Session with n8n's own output parsers below it.
import type { WorkflowFile, WorkflowNode } from '../../n8n-host/workflows.mts';
import { LINKS, RIGHT, WRONG } from '../outputParser.mts';
import { looped } from './durable.mts';
import { node, NODE } from './support.mts';

export const LANGCHAIN = '@n8n/n8n-nodes-langchain.';

/** What the agent says in the format, and in another one */
export const SAY_RIGHT = `[say ${RIGHT}]`;
export const SAY_WRONG = `[say ${WRONG}]`;

const link = { page: { type: 'string' }, url: { type: 'string' } };
const schema = {
	type: 'object',
	properties: {
		brokenLinks: {
			type: 'array',
			items: { type: 'object', properties: link, required: ['page', 'url'] },
		},
	},
	required: ['brokenLinks'],
};
export const PARSERS = {
	'from a JSON example': { schemaType: 'fromJson', jsonSchemaExample: JSON.stringify(LINKS) },
	'from a schema': { schemaType: 'manual', inputSchema: JSON.stringify(schema) },
};
export type ParserKind = keyof typeof PARSERS;

/** n8n's Structured Output Parser for a list of broken links */
export const structured = (kind: ParserKind, parts: Partial<WorkflowNode> = {}): WorkflowNode =>
	node('Parser', `${LANGCHAIN}outputParserStructured`, 1.3, {
		parameters: PARSERS[kind],
		position: [0, 300],
		...parts,
	});

/** A workflow of one session with a parser below it. Each further parser is connected to the one before. */
export function typed(
	name: string,
	session: WorkflowNode,
	...parsers: WorkflowNode[]
): WorkflowFile {
	const file = looped(name, [{ n: 1 }], session);
	for (const [index, { name: from }] of parsers.entries()) {
		const to = parsers[index - 1]?.name ?? NODE;
		file.connections[from] = {
			ai_outputParser: [[{ node: to, type: 'ai_outputParser', index: 0 }]],
		};
	}
	return { ...file, nodes: [...file.nodes, ...parsers] };
}
