import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { ChatStream } from '../../shared/n8n/chatStream';
import type { ItemFailure } from '../output';
import { OUTPUTS } from '../outputs';
import type { OutputFormat } from './format';
import type { SessionJournal } from './journal';
import type { EffectMarks } from './marks';
import type { ItemSettings, RunResult } from './types';

export interface Item {
	itemIndex: number;
	journal: SessionJournal;
	settings?: ItemSettings;
	/** The chat of the user, if n8n streams */
	chat?: ChatStream;
	error?: Error;
	result?: RunResult;
}

export interface NodeRun {
	context: IExecuteFunctions;
	isDatabase: boolean;
	asTool: boolean;
	/** True if an item that fails becomes an item with its error */
	continues: boolean;
	items: Item[];
	marks: EffectMarks;
	format?: OutputFormat;
}

export const noItems = (): INodeExecutionData[][] => Object.keys(OUTPUTS).map(() => []);

export const listFailures = (items: readonly Item[]): ItemFailure[] =>
	items.flatMap(({ itemIndex, error }) => (error ? [{ itemIndex, error }] : []));
