import { describe, expect, test } from '@jest/globals';
import { requireSelect } from '../../nodes/shared/analytics/query.ts';

describe('a query', () => {
	test.each([
		['WITH a AS (SELECT 1) SELECT * FROM a'],
		['(SELECT 1) UNION ALL (SELECT 2)'],
		['-- revenue\nSELECT 1'],
		['/* a; b */ SELECT 1'],
		["SELECT ';' AS semicolon, '--' AS dashes, \"a;b\", `c;d`"],
		["SELECT 'a\\'; DROP TABLE x'"],
		['SELECT 1 ;\n/* done */ '],
		['SELECT 1;;'],
		['// a; b\nSELECT 1'],
		['#! a; b\nSELECT 1'],
		['/* /* a; b */ ; */ SELECT 1'],
		["SELECT $$;$$, $a$;$a$, ‘;’, “;”, x'3b'"],
		['\u00a0select\u2028 1'],
		["SELECT'a'"],
		['WITH insert AS (SELECT 1) SELECT * FROM insert'],
		['WITH (SELECT 1) AS one, insert AS (SELECT 2) SELECT one, (SELECT insert FROM insert)'],
		['(WITH a AS (SELECT 1) SELECT * FROM a)'],
		['WITH a AS (SELECT 1) FROM a SELECT *'],
		["WITH 'INSERT INTO x' AS text SELECT text -- INSERT"],
		['SELECT insert FROM update WHERE delete'],
	])('that reads is accepted: %s', (query) =>
		expect(() => requireSelect('Query', query)).not.toThrow(),
	);

	test.each([
		['-- SELECT 1\nDROP TABLE x'],
		['/* SELECT 1 */ DROP TABLE x'],
		['SELECTED'],
		['SELECT 1; SELECT 2'],
		['SELECT 1 /* ; */; DROP TABLE x'],
		['-- only a comment'],
		["'SELECT'"],
		['; SELECT 1'],
		['/* /* */ SELECT 1 */ DROP TABLE x'],
		['SELECT ‘a’; DROP TABLE x'],
		['SELECT 1; #x'],
		['WITH a AS (SELECT 1) INSERT INTO x SELECT * FROM a'],
		['(WITH a AS (SELECT 1) INSERT INTO x SELECT * FROM a)'],
		['WITH insert AS (SELECT 1) INSERT INTO x SELECT * FROM insert'],
		['WITH 1 AS a /* SELECT */ DELETE FROM x'],
		['WITH (SELECT 1) AS a UPDATE x SET y = a'],
	])("that isn't read-only is refused: %s", (query) =>
		expect(() => requireSelect('Query', query)).toThrow(/^'Query' /),
	);
});
