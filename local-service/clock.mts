// Service time is what the API shows and what the agent lives by; it can run faster than real (wall) time.

/** All times are milliseconds since the epoch. */
export interface Clock {
	/** Service time */
	now(): number;
	/** Real time, outside the service */
	wallNow(): number;
	/** Converts service time to wall time; a moment in the future at the current speed. */
	toWall(serviceTime: number): number;
	speed(): number;
	/** Sets service seconds per wall second from now on; the past stays as it was. */
	setSpeed(speed: number): void;
}

/** A period of constant speed */
interface Period {
	wall: number;
	service: number;
	speed: number;
}

/** Service time starts equal to wall time and runs `speed` times as fast. */
export function createClock(speed = 1, wallNow: () => number = Date.now): Clock {
	const start = wallNow();
	// One for each speed that was set, the latest last
	const periods: Period[] = [{ wall: start, service: start, speed }];
	const last = () => periods[periods.length - 1];
	// Timestamps are whole milliseconds
	const now = () => Math.floor(last().service + (wallNow() - last().wall) * last().speed);
	return {
		now,
		wallNow,
		toWall(serviceTime) {
			const period = periods.findLast(({ service }) => service <= serviceTime) ?? periods[0];
			return Math.round(period.wall + (serviceTime - period.service) / period.speed);
		},
		speed: () => last().speed,
		setSpeed(next) {
			periods.push({ wall: wallNow(), service: now(), speed: next });
		},
	};
}

/** A moment as the API writes it: `2026-10-05T09:00:00.000Z` */
export const iso = (time: number): string => new Date(time).toISOString();
