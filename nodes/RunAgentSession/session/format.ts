import type { OutputFormat } from './types';

export const addInstructions = (text: string, format: OutputFormat | undefined): string =>
	format ? `${text}\n\n${format.instructions}` : text;

export const formatRepairMessage = (misfit: string, format: OutputFormat): string =>
	addInstructions(
		`Your answer doesn't match the required format. The reason:\n${misfit}\n\nAnswer again with the same result in the required format, and with nothing else.`,
		format,
	);
