import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INode } from 'n8n-workflow';

import { errorJson, toNodeError } from '../errors';

export type ToolContext = {
	getNode(): INode;
	isToolExecution?: IExecuteFunctions['isToolExecution'];
};

/** Returns whether an AI agent uses the node as its tool. n8n's own flag covers only some cases, the type's suffix covers all. */
export const isTool = (context: ToolContext): boolean =>
	context.getNode().type.endsWith('Tool') || context.isToolExecution?.() === true;

type FailingContext = ToolContext & Pick<IExecuteSingleFunctions, 'continueOnFail'>;

/** Returns whether a failed item is passed on. A tool's is unless set to stop, because a model reads only a thrown error's message. */
export const continuesOnError = (context: FailingContext): boolean =>
	context.continueOnFail() || (isTool(context) && context.getNode().onError !== 'stopWorkflow');

/** Returns the JSON with which a failed item is passed on. @throws its error if it isn't */
export function passErrorOn(
	context: FailingContext,
	thrown: unknown,
	itemIndex: number,
): IDataObject {
	const node = context.getNode();
	const error = toNodeError(node, thrown, itemIndex);
	if (!continuesOnError(context)) throw error;
	return errorJson(node, error);
}

// Which texts an AI model can't write. n8n's AI Agent lays the model's arguments over `$json`, and there are many ways to read them.
// So this is a list of the forms that can't, and everything else counts as the model's.

/** Without braces, because n8n ends an expression at the first `}}` */
const TEXT_LITERAL = `(?:'[^'\\\\{}\\n]*'|"[^"\\\\{}\\n]*")`;
const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const LITERAL = `(?:${TEXT_LITERAL}|-?[0-9]+(?:\\.[0-9]+)?|true|false)`;
const OBJECT = `\\{ *${NAME} *: *${LITERAL}(?: *, *${NAME} *: *${LITERAL})* *\\}`;
const ARGUMENT = `(?:${LITERAL}|${OBJECT})`;
const ARGUMENTS = `\\( *(?:${ARGUMENT}(?: *, *${ARGUMENT})*)? *\\)`;
const METHODS = [
	...['toLowerCase', 'toUpperCase', 'trim', 'slice', 'substring', 'replace', 'replaceAll', 'split'],
	...['join', 'concat', 'padStart', 'padEnd', 'toString', 'toNumber', 'toInt', 'toFloat', 'round'],
	...['plus', 'minus', 'startOf', 'endOf', 'beginningOf', 'set', 'setZone', 'setLocale', 'toUTC'],
	...['toISO', 'toISODate', 'toISOTime', 'toFormat', 'format', 'toLocaleString', 'toMillis'],
	...['toSeconds', 'toUnixInteger', 'toDateTime'],
];
const CALLS = `(?:\\.(?:${METHODS.join('|')})${ARGUMENTS})*`;
const PATH = `(?:\\.${NAME}|\\[ *(?:${TEXT_LITERAL}|[0-9]+) *\\])+`;
const ROOTS = [
	`\\$(?:vars|workflow|execution)\\.${NAME}`,
	'\\$now',
	'\\$today',
	`\\$\\( *${TEXT_LITERAL} *\\)\\.first\\(\\)\\.json${PATH}`,
];
const FORM = new RegExp(`^(?:${ROOTS.join('|')})${CALLS}$`);

const MAX_FORM = 1_000;

function isFixedTemplate(template: string): boolean {
	const [before, ...others] = template.split('{{');
	if (before.includes('}}')) return false;
	return others.every((other) => {
		const end = other.indexOf('}}');
		const form = other.slice(0, end).trim();
		return end >= 0 && form.length <= MAX_FORM && FORM.test(form);
	});
}

/** Returns whether no model can write a field's value, given with its expressions unresolved. */
export function isFixedValue(raw: unknown): boolean {
	const rest = [raw];
	const seen = new Set<object>();
	for (let value = rest.pop(); value !== undefined || rest.length > 0; value = rest.pop()) {
		if (typeof value === 'string' && value.startsWith('=') && !isFixedTemplate(value)) return false;
		if (typeof value !== 'object' || value === null || seen.has(value)) continue;
		seen.add(value);
		rest.push(...(Object.values(value) as unknown[]));
	}
	return true;
}
