import {
	isWhiteSpace,
	matchesGlob,
	parseGlob,
	UNKNOWN_PART,
	type Glob,
	type MatchBudget,
} from './patterns';
import { readShell, type Joint, type ShellReading } from './shell';

// Compares rules that deny or ask with a request: part by part, and without regard to case.

/** `maybe`: only the shell can tell */
export type PartMatch = 'yes' | 'maybe' | 'no';

export interface ReadText {
	text: string;
	shell: ShellReading;
	forms: Array<{ characters: readonly string[]; hasUnknown: boolean }>;
	/** With single spaces, and with spaces around operators */
	whole: readonly string[];
}

const SPACED = /\s*(?:(&&|\|\||[|&;<>]+)\s*|\s)/gu;

/** Normalizes spaces, so that `a|b` equals `a | b`. */
const spaceOperators = (text: string): string =>
	text.trim().replace(SPACED, (_, operator?: string) => (operator ? ` ${operator} ` : ' '));

export function readForDenials(text: string): ReadText {
	const shell = readShell(text);
	const forms = shell.forms.map(({ text: form }) => ({
		characters: [...form],
		hasUnknown: form.includes(UNKNOWN_PART),
	}));
	return { text, shell, forms, whole: [...spaceOperators(text.toLowerCase())] };
}

/** Fixed cost of comparing a form, in comparisons of one character */
const FORM_COST = 20;

type GlobSteps = Array<{ joint: Joint; glob: Glob }>;

const JOINTS = new Map<string, Joint>([
	['|', 'pipe'],
	['|&', 'pipe'],
	['<', 'in'],
	['>', 'out'],
	['>>', 'out'],
]);

function splitCommands(glob: Glob): GlobSteps {
	const steps: Array<{ operator: string; glob: Array<Glob[number]> }> = [
		{ operator: '', glob: [] },
	];
	for (const token of glob) {
		const last = steps[steps.length - 1];
		if (!/^[|&;<>]$/.test(token.token)) last.glob.push(token);
		else if (last.glob.length === 0) last.operator += token.token;
		else steps.push({ operator: token.token, glob: [] });
	}
	return steps
		.map(({ operator, glob: step }) => ({
			joint: JOINTS.get(operator) ?? 'then',
			// The only spaces are the single ones around operators.
			glob: step.filter(({ token }, at) => token !== ' ' || (at > 0 && at < step.length - 1)),
		}))
		.filter(({ glob: step }) => step.length > 0);
}

function matchSteps(
	steps: GlobSteps,
	{ shell, forms }: ReadText,
	budget: MatchBudget,
	canGuess: boolean,
): boolean {
	let step = 0;
	let command = -1;
	let isPiped = false;
	for (const [index, { characters, hasUnknown }] of forms.entries()) {
		const { glob, joint } = steps[step];
		const form = shell.forms[index];
		const isCertain = form.isCertain && !hasUnknown;
		if ((!isCertain && !canGuess) || form.command === command) continue;
		isPiped ||= form.joint === 'pipe';
		// A loop or a list after a pipe reads from it: `cat x | while read y; do curl $y; done`.
		const canRead = canGuess && joint === 'pipe' && isPiped;
		if (step > 0 && form.joint !== joint && !canRead) continue;
		budget.left -= FORM_COST;
		if (budget.left < 0) return false;
		if (!matchesGlob(glob, { characters, hasUnknown }, budget)) continue;
		if (++step === steps.length) return true;
		command = form.command;
	}
	return false;
}

export interface DenialGlob {
	whole: Glob;
	steps: GlobSteps;
}

export function parseDenialGlob(pattern: string): DenialGlob {
	// White space is normalized like the text's, even if it's escaped.
	const spaced = parseGlob(pattern.toLowerCase()).map((part) =>
		isWhiteSpace(part) ? ' ' : part.token,
	);
	const whole = parseGlob(spaceOperators(spaced.join('')));
	return { whole, steps: splitCommands(whole) };
}

export function matchDenial(
	{ whole, steps }: DenialGlob,
	read: ReadText,
	budget: MatchBudget,
): PartMatch {
	if (matchesGlob(whole, { characters: read.whole }, budget)) return 'yes';
	if (steps.length === 0) return 'no';
	if (matchSteps(steps, read, budget, false)) return 'yes';
	const isDoubtful = read.shell.doubts.size > 0 || matchSteps(steps, read, budget, true);
	return isDoubtful ? 'maybe' : 'no';
}
