// Scripts and rules of the campaigns' sessions.
import type { Dice } from './faultRules.mts';

const pick = <T,>(dice: Dice, list: readonly T[]): T => list[Math.floor(dice() * list.length)];

/** Steps of the scripted agent. With the rules below, `git` is approved, `edit` denied and `deploy` left to a person. */
const STEPS = [
	'[work 20s]',
	'[work 90s]',
	'[idle 60s]',
	'[ask bash: git push]',
	'[ask edit: a.html]',
	'[ask bash: git pull + edit: b.html]',
	'[status napping 40s]',
	'[say Halfway]',
];
const ENDS = [
	'[say Done]',
	'[say Done]',
	'[say Done]',
	'[say Done]',
	'[fail Out of disk]',
	'[ask deploy: production] [say Deployed]',
	'[ask bash: git tag + deploy: production]',
	'[question Why?]',
	'[work 10h]',
];

export const rules = [
	{ permission: 'bash', pattern: 'git *', decision: 'approve' as const },
	{ permission: 'edit', pattern: '*', decision: 'deny' as const },
];

/** Script of an item's session, identified by its number */
export function getPrompt(dice: Dice, index: number): string {
	const steps = Array.from({ length: Math.floor(dice() * 4) }, () => pick(dice, STEPS));
	return `Item ${index}. ${steps.join(' ')} ${pick(dice, ENDS)}`;
}
