// Runs the steps of a script until a time.
import { getId } from '../ids.mts';
import {
	showMessage,
	markActivity,
	showTool,
	type Playback,
	type StepResult,
} from './playback.mts';
import type { PermissionRequest, Question, Step } from './directives.mts';
import type {
	Interaction,
	InteractionLife,
	PermissionInteraction,
	QuestionInteraction,
} from './model.mts';
import { isDenial, nameDenial, tools } from './story.mts';

/** Plays one step, as far as time allows. */
export function playStep(playback: Playback, step: Step): StepResult {
	switch (step.kind) {
		case 'work':
			return work(playback, step.ms);
		case 'idle':
			return pass(playback, step.ms);
		case 'quiet':
			return stayQuiet(playback);
		case 'status':
			return showStatus(playback, step);
		case 'ask':
			return ask(playback, step);
		case 'change':
			playback.change = step.change;
			return 'done';
		case 'question':
			return question(playback, step.question);
		case 'say':
			playback.turn.said = step.text;
			showMessage(playback, 'assistant', step.text, playback.time);
			return 'done';
		case 'fail':
			return fail(playback, step.text);
	}
}

function fail({ snapshot }: Playback, error: string): StepResult {
	snapshot.status = 'failed';
	snapshot.error = error;
	return 'failed';
}

/** Lets time pass without a sign of activity. */
function pass(playback: Playback, ms: number): StepResult {
	if (playback.time + ms > playback.limit) return 'stopped';
	playback.time += ms;
	return 'done';
}

/** Shows no sign of activity until the next message. */
function stayQuiet(playback: Playback): StepResult {
	const { log, time, limit } = playback;
	const next = log.events.find(({ kind, at }) => kind === 'message' && at > time);
	if (!next || next.at > limit) return 'stopped';
	playback.time = next.at;
	return 'done';
}

// While it works, the agent starts a tool every 2 seconds, which takes 1.5 seconds, and writes a message every 6 seconds.
const toolEvery = 2000;
const toolTakes = 1500;
const speakEvery = 6000;
const speakTakes = 500;

function work(playback: Playback, ms: number): StepResult {
	const start = playback.time;
	const stop = start + ms;
	const shown = Math.min(stop, playback.limit);
	// The latest tool started; none is started at the very end
	const toolIndex = Math.max(0, Math.floor((Math.min(shown, stop - 1) - start) / toolEvery));
	const tool = tools[(playback.toolCount + toolIndex) % tools.length];
	const toolStart = start + toolIndex * toolEvery;
	const toolEnd = Math.min(toolStart + toolTakes, stop);
	if (toolEnd <= shown) showTool(playback, { ...tool, status: 'completed', at: toolEnd });
	else showTool(playback, { ...tool, status: 'running', at: toolStart });

	const speechIndex = Math.floor((toolIndex * toolEvery) / speakEvery);
	const speechStart = start + speechIndex * speakEvery;
	const subject =
		tools[(playback.toolCount + (speechIndex * speakEvery) / toolEvery) % tools.length];
	showMessage(
		playback,
		'assistant',
		`Working on it: ${subject.title}.`,
		speechStart,
		speechStart + speakTakes,
	);

	const result = pass(playback, ms);
	if (result === 'done') {
		playback.toolCount += toolIndex + 1;
		markActivity(playback, playback.time);
	}
	return result;
}

function showStatus(
	playback: Playback,
	{ status, ms }: { status: string; ms: number },
): StepResult {
	playback.snapshot.status = status;
	markActivity(playback, playback.time);
	const result = pass(playback, ms);
	if (result === 'done') {
		playback.snapshot.status = 'running';
		markActivity(playback, playback.time);
	}
	return result;
}

function ask(playback: Playback, { requests }: { requests: PermissionRequest[] }): StepResult {
	const asked = requests
		.filter((request) => !isAlwaysAllowed(playback, request))
		.map((request): PermissionInteraction => ({
			type: 'permission',
			...request,
			...takeChange(playback, request),
			...newInteraction(playback),
		}));
	if (asked.length === 0) return 'done';
	const [first] = asked;
	const tool = { name: first.permission, title: first.patterns.join(', ') || first.permission };
	showTool(playback, { ...tool, status: 'pending', at: playback.time });
	if (waitFor(playback, asked) === 'stopped') return 'stopped';

	const denied = asked.filter(({ value }) => isDenial(value!));
	showTool(playback, {
		...tool,
		status: isDenial(first.value!) ? 'error' : 'completed',
		at: playback.time,
	});
	for (const { permission, patterns } of asked.filter(({ value }) => value === 'always')) {
		patterns.forEach((pattern) => playback.always.add(`${permission} ${pattern}`));
	}
	playback.turn.denied.push(...denied.map(nameDenial));
	return 'done';
}

/** Once `always` was chosen, the same patterns are not asked about again in this session. */
const isAlwaysAllowed = ({ always }: Playback, { permission, patterns }: PermissionRequest) =>
	patterns.length > 0 && patterns.every((pattern) => always.has(`${permission} ${pattern}`));

/** The change that the script has for the next edit. */
function takeChange(playback: Playback, { permission }: PermissionRequest) {
	const { change } = playback;
	if (!change || permission !== 'edit') return {};
	delete playback.change;
	return { change };
}

function question(playback: Playback, asks: Question): StepResult {
	const asked: QuestionInteraction = { ...asks, ...newInteraction(playback) };
	if (waitFor(playback, [asked]) === 'stopped') return 'stopped';
	playback.turn.replies.push(asked.value!);
	return 'done';
}

function newInteraction(playback: Playback): InteractionLife {
	playback.interactionCount += 1;
	return {
		id: getId(`interaction:${playback.log.id}:${playback.interactionCount}`),
		askedAt: playback.time,
	};
}

/** Blocks until each interaction has been resolved. */
function waitFor(playback: Playback, asked: Interaction[]): StepResult {
	const { snapshot, log } = playback;
	markActivity(playback, playback.time);
	snapshot.interactions.push(...asked);
	for (const interaction of asked) {
		const resolved = log.events.find(
			(event) => event.kind === 'resolve' && event.interactionId === interaction.id,
		);
		if (resolved?.kind !== 'resolve' || resolved.at > playback.limit) continue;
		interaction.resolvedAt = resolved.at;
		interaction.value = resolved.value;
		if (resolved.reason !== undefined) interaction.reason = resolved.reason;
		markActivity(playback, resolved.at);
	}
	snapshot.pending = asked.filter(({ resolvedAt }) => resolvedAt === undefined);
	if (snapshot.pending.length > 0) return 'stopped';
	playback.time = Math.max(...asked.map(({ resolvedAt }) => resolvedAt!));
	return 'done';
}
