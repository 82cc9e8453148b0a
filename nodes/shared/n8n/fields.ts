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
	requireNumber,
	requireChoice,
	requireString,
	requireSwitch,
	requireText,
} from '../validation';
import { isRecord, splitList, toText } from '../values';
import { isTool, type ToolContext } from './aiTool';

// Fields of a panel. A field is declared once, with its label, default, choices, and check, and every node reads it here.

/** The parameters of one item, or those of a trigger. n8n types `evaluateExpression` for some contexts only, but all have it. */
export interface Panel extends ToolContext {
	getNodeParameter(name: string, fallback: unknown, options?: IGetNodeParameterOptions): unknown;
	evaluateExpression(expression: string, itemIndex: number): unknown;
	getItemIndex?(): number;
}

/** Returns the parameters of one item. */
export const openPanel = (context: IExecuteFunctions, itemIndex: number): Panel => ({
	getNode: () => context.getNode(),
	isToolExecution: () => isTool(context),
	getNodeParameter: (name, fallback, options) =>
		context.getNodeParameter(name, itemIndex, fallback, options),
	evaluateExpression: (expression) => context.evaluateExpression(expression, itemIndex),
	getItemIndex: () => itemIndex,
});

/** Returns a function that evaluates an expression, given with its braces. */
export const createEvaluator =
	(panel: Panel) =>
	(expression: string): unknown =>
		panel.evaluateExpression(expression, panel.getItemIndex?.() ?? 0);

/** Context for a check, beside the value */
export interface FieldSource {
	/** The value with its expressions as they were entered */
	raw: unknown;
	/** Evaluates an expression, given with its braces */
	evaluate(expression: string): unknown;
}

/** A field of a panel, as n8n shows it and as the nodes read it. */
export interface Field<T = unknown> extends Omit<INodeProperties, 'options'> {
	/** Returns the value as the node uses it. Throws before anything is sent if the value is invalid. */
	check?: (label: string, value: unknown, source: FieldSource) => T;
	/** True if its value, an object, is merged over the body of the request */
	isExtra?: true;
	/** True if the node uses its value itself, so that it's no part of the request */
	isSetting?: true;
	/** True if it decides what an agent may do, so that a model must not fill it in */
	isPolicy?: true;
	options?: Array<Field | INodePropertyOptions | INodePropertyCollection>;
}

/** Returns the fields as properties of a node. n8n ignores what it doesn't know of a field. */
export const toProperties = (fields: Field[]): INodeProperties[] => fields as INodeProperties[];

export const field = <T = unknown>(
	displayName: string,
	name: string,
	type: NodePropertyTypes,
	value: INodeProperties['default'],
	more: Partial<Field<T>>,
): Field<T> => ({ displayName, name, type, default: value, ...more });

/** A text. If it's required, it must not be empty. */
export const textField = <T = string>(
	displayName: string,
	name: string,
	more: Partial<Field<T>>,
): Field<T> => ({
	...field<T>(displayName, name, 'string', '', {}),
	check: (label, value) =>
		(more.required ? requireText(label, value) : requireString(label, value)) as T,
	...more,
});

/** A text that lists values, separated by commas. */
export const listField = (
	displayName: string,
	name: string,
	more: Partial<Field<string[]>>,
): Field<string[]> =>
	textField<string[]>(displayName, name, {
		check: (label, value) => splitList(requireString(label, value ?? '')),
		...more,
	});

/** A number of at least `least`. */
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

/** A whole number of at least 1. */
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

/** A setting that is on or off. */
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

/** A JSON object. Empty means `{}`. */
export const jsonField = (
	displayName: string,
	name: string,
	description: string,
	more: Partial<Field<Record<string, unknown>>> = {},
): Field<Record<string, unknown>> =>
	field(displayName, name, 'json', '{}', { description, check: requireJsonObject, ...more });

/** The label of each choice, what it does, and its action, by the value that workflows store */
export type Choices<T extends string = string> = Record<
	T,
	[name: string, description?: string, action?: string]
>;

/** One of several values. An empty value means that nothing is chosen yet. */
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

/** Fields that people add one by one. */
export const collection = (
	displayName: string,
	name: string,
	placeholder: string,
	options: Field[],
): Field => ({ displayName, name, type: 'collection', placeholder, default: {}, options });

/** Shows fields under more conditions than their own. n8n passes no value of a field that isn't shown. */
export const showFor = <F extends Field>(
	show: NonNullable<NonNullable<INodeProperties['displayOptions']>['show']>,
	...fields: F[]
): F[] =>
	fields.map((each) => ({
		...each,
		displayOptions: { show: { ...show, ...each.displayOptions?.show } },
	}));

const NOT_SHOWN: unknown = Symbol('not shown');

/** Returns whether a field is shown, and added if it's in a collection. */
export const isEntered = (panel: Panel, { name }: Field, parent = ''): boolean =>
	panel.getNodeParameter(`${parent}${name}`, NOT_SHOWN, { rawExpressions: true }) !== NOT_SHOWN;

/** Throws if an AI model fills in the field. n8n resolves `$fromAI` in any case. */
function refuseModel(panel: Panel, label: string, raw: unknown): void {
	if (!isTool(panel) || !/\$fromai/i.test(toText(raw))) return;
	throw new WorkspaceAutomationError(
		`A model must not fill in '${label}'`,
		`Remove $fromAI from '${label}': this field decides about the agent's permissions. Enter a value yourself.`,
	);
}

/**
 * Returns the checked value of a field. A field that isn't shown or wasn't added has its default.
 * @param parent the path of the collection that it's in, with a dot at its end
 * @throws WorkspaceAutomationError that names the field
 */
export function readParameter<T>(panel: Panel, declared: Field<T>, parent = ''): T {
	const { name, displayName, default: fallback, type, check, isPolicy } = declared;
	const raw = panel.getNodeParameter(`${parent}${name}`, fallback, { rawExpressions: true });
	if (isPolicy) refuseModel(panel, displayName, raw);
	const given = panel.getNodeParameter(`${parent}${name}`, fallback);
	// The value of a locator. n8n's own `extractValue` can time out.
	const isChosen = type === 'resourceLocator' && isRecord(given) && 'mode' in given;
	const value = isChosen ? given.value : given;
	return check
		? check(displayName, value, { raw, evaluate: createEvaluator(panel) })
		: (value as T);
}

/** The values of an operation's fields. `values` are those of the request. */
export interface Entered {
	values: Record<string, unknown>;
	/** Merged over the resulting body */
	extra: Record<string, unknown>;
	settings: Record<string, unknown>;
}

/** Returns the checked values of the fields that are shown, and of those that were added to a collection. */
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
			if (each.isExtra) Object.assign(entered.extra, value);
			else entered[each.isSetting ? 'settings' : 'values'][each.name] = value;
		}
		// An entry with a type is a field, as in a collection.
		const inner = (each.options ?? []).filter((entry): entry is Field => 'type' in entry);
		readPanel(panel, inner, entered, `${parent}${each.name}.`);
	}
	return entered;
}
