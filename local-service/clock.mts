// Time, in one place. Service time is what the API shows and what the agent lives by; it can run faster than the wall.

/** All times are milliseconds since the epoch. */
export interface Clock {
	/** Service time */
	now(): number;
	/** Time outside the service */
	wallNow(): number;
	/** When a moment of service time was, on the wall. For moments that have not come yet: when they will be, at today's speed. */
	toWall(serviceTime: number): number;
	speed(): number;
	/** Service seconds per wall second from now on; what has passed stays as it was. */
	setSpeed(speed: number): void;
}

interface Stretch {
	wall: number;
	service: number;
	speed: number;
}

/** Service time starts equal to wall time and runs `speed` times as fast. */
export function createClock(speed = 1, wallNow: () => number = Date.now): Clock {
	const start = wallNow();
	// One stretch for each speed the clock has had, the latest last
	const stretches: Stretch[] = [{ wall: start, service: start, speed }];
	const last = () => stretches[stretches.length - 1];
	// Whole milliseconds, as timestamps are
	const now = () => Math.floor(last().service + (wallNow() - last().wall) * last().speed);
	return {
		now,
		wallNow,
		toWall(serviceTime) {
			const stretch = stretches.findLast(({ service }) => service <= serviceTime) ?? stretches[0];
			return Math.round(stretch.wall + (serviceTime - stretch.service) / stretch.speed);
		},
		speed: () => last().speed,
		setSpeed(next) {
			stretches.push({ wall: wallNow(), service: now(), speed: next });
		},
	};
}

/** A clock that stands still until it is told to move, for tests. Wall time and service time are the same. */
export function createManualClock(
	start = Date.UTC(2026, 9, 5, 9),
): Clock & { advance(ms: number): void } {
	let time = start;
	let speed = 1;
	return {
		now: () => time,
		wallNow: () => time,
		toWall: (serviceTime) => serviceTime,
		speed: () => speed,
		setSpeed(next) {
			speed = next;
		},
		advance(ms) {
			time += ms;
		},
	};
}

/** As the API writes moments: `2026-10-05T09:00:00.000Z` */
export const iso = (time: number): string => new Date(time).toISOString();
