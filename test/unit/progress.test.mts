// What the terminal shows while npm installs n8n.
import { expect, test } from '@jest/globals';
import { isProgress, trackProgress } from '../../n8n-host/progress.mts';

const SECOND = 1000;

test('the time left is that of the packages, without the time before the first one', () => {
	const describe = trackProgress('n8n', 1000);
	expect(describe(0, 100 * SECOND)).toBe('installing n8n: 0 %');
	expect(describe(10, 120 * SECOND)).toBe('installing n8n: 1 %');
	expect(describe(210, 130 * SECOND)).toBe('installing n8n: 21 %, about 40 s left');
	expect(describe(1000, 170 * SECOND)).toBe('installing n8n: 100 %');
});

test.each([0.5, 1, 2])(
	'at each moment, the time left is right within a factor of two: a speed of %d',
	(speed) => {
		const total = 900;
		const describe = trackProgress('n8n', total);
		const endsAt = total / speed;
		for (let at = endsAt / 10; at < endsAt - 20; at += 5) {
			const line = describe(Math.floor(at * speed), (300 + at) * SECOND);
			const [, amount, unit] = /about (\d+) (s|minutes) left$/.exec(line) ?? [];
			if (amount === undefined) continue;
			const left = Number(amount) * (unit === 's' ? 1 : 60);
			expect(left / (endsAt - at)).toBeGreaterThan(0.5);
			expect(left / (endsAt - at)).toBeLessThan(2);
		}
	},
);

test('a terminal replaces progress, and nothing else', () => {
	expect(isProgress('installing n8n 2.41.1: 7 %, about 50 s left')).toBe(true);
	expect(isProgress('installing n8n 2.41.1, once: about 3 GB and some minutes')).toBe(false);
	expect(isProgress('n8n 2.41.1 is installed')).toBe(false);
});
