import { matchesGlob, parseGlob, UNKNOWN_PART, type Glob, type MatchBudget } from './patterns';
import { readShell, type Joint, type ShellReading } from './shell';

// Compares the globs of a rule that denies or asks with a request: part by part, and without regard to case.

/** The result for one part. `maybe`: nobody can tell before the shell runs it. */
export type PartMatch = 'yes' | 'maybe' | 'no';

/** A text of a request, read once for all rules. */
export interface ReadText {
	text: string;
	shell: ShellReading;
	forms: Array<{ characters: readonly string[]; hasUnknown: boolean }>;
	/** The whole text, with single spaces and with spaces around operators */
	whole: readonly string[];
}

/** Consecutive white space, and operators with the white space around them */
const SPACED = /\s*(?:(&&|\|\||[|&;<>]+)\s*|\s)/gu;

/** Returns a text with single spaces, and with spaces around its operators, so that `a|b` equals `a | b`. */
const spaceOperators = (text: string): string =>
	text.trim().replace(SPACED, (_, operator?: string) => (operator ? ` ${operator} ` : ' '));

/** Returns a text in the form that rules that deny or ask compare. */
export function readForDenials(text: string): ReadText {
	const shell = readShell(text);
	const forms = shell.forms.map(({ text: form }) => ({
		characters: [...form],
		hasUnknown: form.includes(UNKNOWN_PART),
	}));
	return { text, shell, forms, whole: [...spaceOperators(text.toLowerCase())] };
}

/** The cost of comparing a form, besides its characters, in comparisons of one character */
const FORM_COST = 20;

/** A glob's commands, in their order. */
type GlobSteps = Array<{ joint: Joint; glob: Glob }>;

const JOINTS = new Map<string, Joint>([
	['|', 'pipe'],
	['|&', 'pipe'],
	['<', 'in'],
	['>', 'out'],
	['>>', 'out'],
]);

/** Returns the commands of a glob such as `curl * | sh`. */
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

/** Returns whether a form of a text's commands matches each of a glob's commands, in their order. */
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

/** A glob of a rule that denies or asks. */
export interface DenialGlob {
	whole: Glob;
	steps: GlobSteps;
}

export function parseDenialGlob(pattern: string): DenialGlob {
	const whole = parseGlob(spaceOperators(pattern.toLowerCase()));
	return { whole, steps: splitCommands(whole) };
}

/** Returns whether a glob matches a text, or a command in it. */
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
