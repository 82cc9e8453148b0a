import type {
	IExecuteFunctions,
	IGetNodeParameterOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

import { WorkspaceAutomationError } from '../errors';
import {
	requireJsonObject,
	requireLine,
	requireNoNull,
	requireNumber,
	requireChoice,
	requireString,
	requireSwitch,
	requireText,
} from '../validation';
import { isRecord } from '../values';
import { isTool, type ToolContext, isFixedValue } from './aiTool';

/** n8n types `evaluateExpression` for some contexts only, but all have it. */
export interface Panel extends ToolContext {
	getNodeParameter(name: string, fallback: unknown, options?: IGetNodeParameterOptions): unknown;
	evaluateExpression(expression: string, itemIndex: number): unknown;
	getItemIndex?(): number;
}

export const openPanel = (context: IExecuteFunctions, itemIndex: number): Panel => ({
	getNode: () => context.getNode(),
	isToolExecution: () => isTool(context),
	getNodeParameter: (name, fallback, options) =>
		context.getNodeParameter(name, itemIndex, fallback, options),
	evaluateExpression: (expression) => context.evaluateExpression(expression, itemIndex),
	getItemIndex: () => itemIndex,
});

export const createEvaluator =
	(panel: Panel) =>
	(expression: string): unknown =>
		panel.evaluateExpression(expression, panel.getItemIndex?.() ?? 0);

export interface FieldSource {
	/** The value with its expressions unresolved */
	raw: unknown;
	/** Evaluates an expression, given with its braces. */
	evaluate(expression: string): unknown;
}

export interface Field<T = unknown> extends Omit<INodeProperties, 'options'> {
	/** Returns the value as the node uses it. Throws before anything is sent if the value is invalid. */
	check?: (label: string, value: unknown, source: FieldSource) => T;
	/** True if its value, an object, is merged over the body of the request */
	isExtra?: true;
	/** True if the node uses the value itself, so the request doesn't contain it */
	isSetting?: true;
	/** True if it decides about an agent's permissions, so a model must not fill it in */
	isPolicy?: true;
	options?: Array<Field | INodePropertyOptions | INodePropertyCollection>;
}

/** Needs only a cast, because n8n ignores unknown keys of a field. */
export const toProperties = (fields: Field[]): INodeProperties[] => fields as INodeProperties[];

export const field = <T = unknown>(
	displayName: string,
	name: string,
	type: NodePropertyTypes,
	value: INodeProperties['default'],
	more: Partial<Field<T>>,
): Field<T> => ({ displayName, name, type, default: value, ...more });

/** A field with several rows takes several lines. */
export const textField = <T = string>(
	displayName: string,
	name: string,
	more: Partial<Field<T>>,
): Field<T> => ({
	...field<T>(displayName, name, 'string', '', {}),
	check(label, value) {
		const text = more.required ? requireText(label, value) : requireString(label, value);
		return (more.typeOptions?.rows ? text : requireLine(label, text)) as T;
	},
	...more,
});

export const numberField = (
	displayName: string,
	name: string,
	value: number,
	least: number,
	description: string,
	more: Partial<Field<number>> = {},
): Field<number> =>
	field(displayName, name, 'number', value, {
		typeOptions: { minValue: least },
		description,
		check: (label, number) => requireNumber(label, number, least),
		...more,
	});

export const countField = (
	displayName: string,
	name: string,
	value: number,
	description: string,
	more: Partial<Field<number>> = {},
): Field<number> =>
	numberField(displayName, name, value, 1, description, {
		typeOptions: { minValue: 1, numberPrecision: 0 },
		check: (label, number) => Math.floor(requireNumber(label, number, 1)),
		...more,
	});

export const toggle = (
	displayName: string,
	name: string,
	value: boolean,
	description: string,
	more: Partial<Field<boolean>> = {},
): Field<boolean> =>
	field(displayName, name, 'boolean', value, {
		description,
		isSetting: true,
		check: requireSwitch,
		...more,
	});

export const jsonField = (
	displayName: string,
	name: string,
	description: string,
	more: Partial<Field<Record<string, unknown>>> = {},
): Field<Record<string, unknown>> =>
	field(displayName, name, 'json', '{}', { description, check: requireJsonObject, ...more });

export type Choices<T extends string = string> = Record<
	T,
	[name: string, description?: string, action?: string]
>;

/** An empty value means that nothing is chosen yet. */
export const choice = <T extends string>(
	displayName: string,
	name: string,
	value: NoInfer<T>,
	description: string,
	choices: Choices<T>,
	more: Partial<Field<Exclude<T, ''>>> = {},
): Field<Exclude<T, ''>> => {
	const entries = Object.entries<Choices[string]>(choices);
	const allowed = (Object.keys(choices) as T[]).filter((each) => each !== '');
	return field(displayName, name, 'options', value, {
		options: entries.map(([choice, [name, description, action]]) => ({
			name,
			value: choice,
			...(description && { description }),
			...(action && { action }),
		})),
		description,
		check: (label, chosen) => requireChoice(label, chosen, allowed) as Exclude<T, ''>,
		...more,
	});
};

export const collection = (
	displayName: string,
	name: string,
	placeholder: string,
	options: Field[],
): Field => ({ displayName, name, type: 'collection', placeholder, default: {}, options });

/** Adds display conditions to fields. n8n passes no value of a field that isn't shown. */
export const showFor = <F extends Field>(
	show: NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>,
	...fields: F[]
): F[] =>
	fields.map((each) => ({
		...each,
		displayOptions: { show: { ...show, ...each.displayOptions?.show } },
	}));

const NOT_SHOWN: unknown = Symbol('not shown');

/** Returns whether a field is shown and, in a collection, added. */
export const isEntered = (panel: Panel, { name }: Field, parent = ''): boolean =>
	panel.getNodeParameter(`${parent}${name}`, NOT_SHOWN, { rawExpressions: true }) !== NOT_SHOWN;

/** Throws if an AI model can write the field. */
function refuseModel(panel: Panel, label: string, raw: unknown): void {
	if (!isTool(panel) || isFixedValue(raw)) return;
	throw new WorkspaceAutomationError(
		`A model must not fill in '${label}'`,
		`Enter a fixed value: '${label}' decides about the agent's permissions. As a tool, it can only have these expressions: {{ $vars.a }}, {{ $workflow.a }}, {{ $execution.a }}, {{ $now }}, {{ $today }} and {{ $('Name').first().json.a }}, also with methods such as .trim() or .minus({ days: 7 }).`,
	);
}

/** Returns a field's checked value, or its default if it isn't shown. `parent` ends with a dot. @throws WorkspaceAutomationError */
export function readParameter<T>(panel: Panel, declared: Field<T>, parent = ''): T {
	const { name, displayName, default: fallback, type, check, isPolicy } = declared;
	const raw = panel.getNodeParameter(`${parent}${name}`, fallback, { rawExpressions: true });
	if (isPolicy) refuseModel(panel, displayName, raw);
	const resolved = panel.getNodeParameter(`${parent}${name}`, fallback);
	// n8n's own `extractValue` for locators can time out.
	const isChosen = type === 'resourceLocator' && isRecord(resolved) && 'mode' in resolved;
	const value = isChosen ? resolved.value : resolved;
	if (typeof value === 'string') requireNoNull(displayName, value);
	return check
		? check(displayName, value, { raw, evaluate: createEvaluator(panel) })
		: (value as T);
}

export interface Entered {
	values: Record<string, unknown>;
	extra: Record<string, unknown>;
	settings: Record<string, unknown>;
}

export function readPanel(
	panel: Panel,
	fields: Field[],
	entered: Entered = { values: {}, extra: {}, settings: {} },
	parent = '',
): Entered {
	for (const each of fields) {
		if (!isEntered(panel, each, parent)) continue;
		if (each.check) {
			const value = readParameter(panel, each, parent);
			if (each.isExtra) entered.extra = { ...entered.extra, ...(value as object) };
			else entered[each.isSetting ? 'settings' : 'values'][each.name] = value;
		}
		// An entry with a type is a field, as in a collection.
		const inner = (each.options ?? []).filter((entry): entry is Field => 'type' in entry);
		readPanel(panel, inner, entered, `${parent}${each.name}.`);
	}
	return entered;
}
