import { expect, test } from '@jest/globals';
import { createClock } from '../../local-service/clock.mts';

function clockOnWall(speed: number) {
	let wall = 1_000_000;
	return {
		clock: createClock(speed, () => wall),
		pass: (ms: number) => (wall += ms),
		wall: () => wall,
	};
}

test('service time starts at wall time and runs at the given speed', () => {
	const { clock, pass } = clockOnWall(20);
	expect(clock.now()).toBe(1_000_000);
	pass(50);
	expect(clock.now()).toBe(1_001_000);
});

test("a new speed applies from now on and doesn't change past times", () => {
	const { clock, pass } = clockOnWall(10);
	pass(100);
	clock.setSpeed(1);
	expect(clock.now()).toBe(1_001_000);
	pass(100);
	expect(clock.now()).toBe(1_001_100);
	expect(clock.speed()).toBe(1);
});

test('service time converts to wall time, for any speed at that time', () => {
	const { clock, pass, wall } = clockOnWall(10);
	const moments = [1, 5, 0.5].map((speed) => {
		pass(100);
		const moment = { service: clock.now(), wall: wall() };
		pass(100);
		clock.setSpeed(speed);
		return moment;
	});
	for (const { service, wall: expected } of moments) expect(clock.toWall(service)).toBe(expected);
});
