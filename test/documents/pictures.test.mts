// The pictures of the docs show what the code shows.
import { expect, test } from '@jest/globals';
import { shownNow, shownWhenTaken } from '../../tools/pictures.mts';

test('no picture is older than what it shows: otherwise run npm run screenshots with its name', () => {
	expect(shownWhenTaken()).toEqual(shownNow());
});
