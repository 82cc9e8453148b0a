// What each step of a script does, as far as the time allows.
import { idOf } from '../ids.mts';
import { tell, touch, use, type Course, type Outcome } from './course.mts';
import type { PermissionRequest, Step } from './directives.mts';
import type {
	Interaction,
	InteractionLife,
	PermissionInteraction,
	QuestionInteraction,
} from './model.mts';
import { isDenial, nameRequest, tools } from './story.mts';

/** Takes one step, as far as the time allows. */
export function takeStep(course: Course, step: Step): Outcome {
	switch (step.kind) {
		case 'work':
			return work(course, step.ms);
		case 'idle':
			return pass(course, step.ms);
		case 'status':
			return showStatus(course, step);
		case 'ask':
			return ask(course, step);
		case 'question':
			return question(course, step.text);
		case 'say':
			course.turn.said = step.text;
			tell(course, 'assistant', step.text, course.time);
			return 'done';
		case 'fail':
			return fail(course, step.text);
	}
}

function fail({ state }: Course, error: string): Outcome {
	state.status = 'failed';
	state.error = error;
	return 'failed';
}

/** Lets time pass without a sign of activity. */
function pass(course: Course, ms: number): Outcome {
	if (course.time + ms > course.limit) return 'stopped';
	course.time += ms;
	return 'done';
}

// While it works, the agent picks up a tool every 2 seconds, is done with it 1.5 seconds later, and speaks every 6 seconds.
const toolEvery = 2000;
const toolTakes = 1500;
const speakEvery = 6000;
const speakTakes = 500;

function work(course: Course, ms: number): Outcome {
	const start = course.time;
	const stop = start + ms;
	const shown = Math.min(stop, course.limit);
	// The last tool picked up; one is never picked up at the very end
	const toolIndex = Math.max(0, Math.floor((Math.min(shown, stop - 1) - start) / toolEvery));
	const tool = tools[(course.toolCount + toolIndex) % tools.length];
	const toolStart = start + toolIndex * toolEvery;
	const toolEnd = Math.min(toolStart + toolTakes, stop);
	if (toolEnd <= shown) use(course, { ...tool, status: 'completed', at: toolEnd });
	else use(course, { ...tool, status: 'running', at: toolStart });

	const speechIndex = Math.floor((toolIndex * toolEvery) / speakEvery);
	const speechStart = start + speechIndex * speakEvery;
	const subject = tools[(course.toolCount + (speechIndex * speakEvery) / toolEvery) % tools.length];
	tell(
		course,
		'assistant',
		`Working on it: ${subject.title}.`,
		speechStart,
		speechStart + speakTakes,
	);

	const outcome = pass(course, ms);
	if (outcome === 'done') {
		course.toolCount += toolIndex + 1;
		touch(course, course.time);
	}
	return outcome;
}

function showStatus(course: Course, { status, ms }: { status: string; ms: number }): Outcome {
	course.state.status = status;
	touch(course, course.time);
	const outcome = pass(course, ms);
	if (outcome === 'done') {
		course.state.status = 'running';
		touch(course, course.time);
	}
	return outcome;
}

function ask(
	course: Course,
	{ requests, orFail }: { requests: PermissionRequest[]; orFail: boolean },
): Outcome {
	const asked = requests
		.filter((request) => !isAlwaysAllowed(course, request))
		.map((request): PermissionInteraction => ({
			type: 'permission',
			...request,
			...newInteraction(course),
		}));
	if (asked.length === 0) return 'done';
	const [first] = asked;
	const tool = { name: first.permission, title: first.patterns.join(', ') || first.permission };
	use(course, { ...tool, status: 'pending', at: course.time });
	if (waitFor(course, asked) === 'stopped') return 'stopped';

	const denied = asked.filter(({ value }) => isDenial(value!));
	use(course, { ...tool, status: isDenial(first.value!) ? 'error' : 'completed', at: course.time });
	for (const { permission, patterns } of asked.filter(({ value }) => value === 'always')) {
		patterns.forEach((pattern) => course.always.add(`${permission} ${pattern}`));
	}
	const names = denied.map(nameRequest);
	if (orFail && names.length > 0) return fail(course, `Permission denied: ${names.join('; ')}`);
	course.turn.denied.push(...names);
	return 'done';
}

/** An option `always` spares the caller the same question for the rest of the session. */
const isAlwaysAllowed = ({ always }: Course, { permission, patterns }: PermissionRequest) =>
	patterns.length > 0 && patterns.every((pattern) => always.has(`${permission} ${pattern}`));

function question(course: Course, text: string): Outcome {
	const asked: QuestionInteraction = {
		type: 'question',
		question: text,
		...newInteraction(course),
	};
	if (waitFor(course, [asked]) === 'stopped') return 'stopped';
	course.turn.answers.push(asked.value!);
	return 'done';
}

function newInteraction(course: Course): InteractionLife {
	course.interactionCount += 1;
	return {
		id: idOf(`interaction:${course.log.id}:${course.interactionCount}`),
		askedAt: course.time,
	};
}

/** Blocks until each interaction has been resolved. */
function waitFor(course: Course, asked: Interaction[]): Outcome {
	const { state, log } = course;
	touch(course, course.time);
	state.interactions.push(...asked);
	for (const interaction of asked) {
		const resolved = log.events.find(
			(event) => event.kind === 'resolve' && event.interactionId === interaction.id,
		);
		if (resolved?.kind !== 'resolve' || resolved.at > course.limit) continue;
		interaction.resolvedAt = resolved.at;
		interaction.value = resolved.value;
		touch(course, resolved.at);
	}
	state.pending = asked.filter(({ resolvedAt }) => resolvedAt === undefined);
	if (state.pending.length > 0) return 'stopped';
	course.time = Math.max(...asked.map(({ resolvedAt }) => resolvedAt!));
	return 'done';
}
