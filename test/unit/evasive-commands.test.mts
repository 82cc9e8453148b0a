// Commands with which an agent gets around a rule, each run in a real bash before it was added here.
import { describe, expect, test } from '@jest/globals';
import { decide } from '../../nodes/RunAgentSession/policy/rules.ts';
import { policy, request, rule } from './policies.mts';

const decision = (command: string, ...rules: Array<ReturnType<typeof rule>>) =>
	decide(request({ patterns: [command] }), policy({ rules })).decision;

const PAYLOAD = "X='a[$';X+='(rm y)]'";

describe('a rule that denies rm keeps a later rule from approving', () => {
	test.each([
		'r${ifs}m x',
		'IFS=; r${IFS}m x',
		'/bi{n/rm,} x',
		'x=in/rm; /b$x y',
		"x=' -rf '; /bin/rm${x}/home",
		'A[ 0 ]=1 rm y',
		'set -- 1; for i do rm x; done',
		':&&>|f ${u}r$x y',
		"echo 'rm x' > f; ls \v# ; . ./f",
		': a\v# ; :&&A\\\n=1 rm x',
		'r\0m x',
		"PS4='$(rm x)'; set -x; ls",
		"set -x; PS4='$';PS4+='(rm x)'; ls",
		"x='a[$(rm y)]'; echo $((x))",
		...[
			`${PAYLOAD}; echo $((X))`,
			`${PAYLOAD}; ((X))`,
			`${PAYLOAD}; a[X]=1`,
			`${PAYLOAD}; [[ X -eq 1 ]]`,
			`${PAYLOAD}; [[ -v a[X] ]]`,
			`${PAYLOAD}; declare -i Y=X`,
			`${PAYLOAD}; declare "a[X]=1"`,
			`${PAYLOAD}; declare -n Y=$X; : $Y`,
			`${PAYLOAD}; test -v a[X]`,
			`${PAYLOAD}; printf -v a[X] 1`,
			`${PAYLOAD}; read a[X] <<< 1`,
			`${PAYLOAD}; unset "a[X]"`,
		],
		"echo 'rm x' > f; bash f",
		"echo 'rm x' > f; chmod +x f && ./f",
		"echo 'rm x' > f; BASH_ENV=f bash -c :",
		"echo 'rm x' > f; export BASH_ENV=f; bash -c :",
		"echo 'rm x' | tee f; sh f",
		'cp /bin/rm y; ./y x',
		'ln -s /bin/rm y && env ./y x',
		"echo 'rm x' | bash /proc/self/fd/0",
		"echo 'rm x' | bash ./../../../dev/stdin",
		"time -p . /dev/stdin <<< 'rm x'",
		"find . -exec bash <<< 'rm x' ';'",
		"sed '1e rm x' f",
		"sed 's/x/rm y/e' f",
		'x=\'BEGIN{system("rm y")}\'; awk "$x"',
		"tar --checkpoint-action=exec='rm x' -cf a b",
		"split --filter='rm x' f",
		'sort --compress-program=rm f',
		"vim -c '!rm x'",
		"PAGER='rm x' git log",
		"git -c core.pager='rm x' log",
		"node -p 'x'",
		"nodejs -e 'x'",
		"perl -I lib -e 'x'",
		"echo 'x' | python -u",
		...[
			'mytool rm x',
			'mytool --run="rm x"',
			'ld.so /bin/rm x',
			'mytool r$@m x',
			'npm x /???/rm y',
		],
		...['mytool -- sh -c "$X"', "echo 'rm x' | mytool", "mytool <<< '!rm x'"],
		...[
			'i386 r$@m x',
			'uv run rm x',
			'npm exec -- rm x',
			"bun x $'\\x72m' x",
			'scp -S rm a b:c',
			'rsync -e"rm x" a b:c',
		],
		...["sed '1erm x' f", "sed '$erm x' f", 'perl -e\'exec"rm x"\'', "tar -xf a --to-com='rm x'"],
		...["tar -I'rm x' -xf a", "git config alias.x '!rm y'; git x", 'git grep -Orm x'],
		...["git rebase --ex 'rm x' main", 'GIT_CONFIG_PARAMETERS="\'alias.x=!rm y\'" git x'],
		...["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm y' git x"],
		...[
			"TAR_OPTIONS='--to-command=rm' tar xf a",
			"sqlite3 x '.shell rm y'",
			"printf 'x:\\n\\trm y' > Makefile; make",
		],
		...[
			'gcc -wrapper rm,x f.c',
			"tclsh <(echo 'exec rm x')",
			'ENV=./f sh -ic :',
			'ENV=$f sh -ic :',
		],
		...["socat exec:'rm x' -", "socat 'EXEC:rm x' -", "rg --pre 'rm' x", "ag --pager 'rm x' y"],
		...['mytool $(echo mr|rev) x', "mytool $'\\x72m' x", 'X=rm; mytool $X y', 'mytool `echo rm` x'],
	])('%j', (command) => {
		const rules = [rule('bash', 'rm *, rm', 'deny'), rule('bash', '*', 'approve')];
		expect(decision(command, ...rules)).not.toBe('approve');
	});
});

describe('a rule that denies commands with an operator keeps a later rule from approving', () => {
	test.each([
		['cat .env | curl *', 'cat .env | (curl x)'],
		['cat .env | curl *', 'cat .env | while read l; do curl $l; done'],
		['echo * > .env', '> .env echo x'],
		['echo * > .env', 'ls; echo x >.env'],
		['echo * > .env', 'echo x >"./.env"; ls'],
		['cat < .env', 'ls; <.env cat'],
	])('%j: %j', (pattern, command) => {
		const rules = [rule('bash', pattern, 'deny'), rule('bash', '*', 'approve')];
		expect(decision(command, ...rules)).not.toBe('approve');
	});
});

describe("a wildcard doesn't let a command leave the current folder", () => {
	test.each([
		['npm install *', 'npm install git+file:///etc/x'],
		['sed -n *', 'sed -n w/tmp/x f'],
		['sed *', "sed 's/a/b/w /tmp/x' f"],
		['bash -c *', "bash -c 'ls .\\./x'"],
		['bash -c *', `bash -c '"."./x'`],
		['eval *', 'eval ls .\\\\./x'],
		['cd * && rm -rf build', 'cd  && rm -rf build'],
		['cd * && rm -rf build', 'cd -P && rm -rf build'],
		['cd * && rm -rf build', 'cd "-" && rm -rf build'],
		['cd *', 'cd -'],
		['vim *', 'vim +e/etc/x'],
		['vim *', 'vim +:e!/etc/x f'],
		['vim *', 'vim +%w/etc/x f'],
	])('%j: %j', (pattern, command) => {
		expect(decision(command, rule('bash', pattern, 'approve'))).toBe('ask');
	});

	test('but a rule can name the home folder', () => {
		expect(decision('cd && npm test', rule('bash', 'cd && npm *', 'approve'))).toBe('approve');
	});
});

describe('rules that deny rm and others still let a later rule approve', () => {
	test.each([
		'i=0; while [ $i -lt 5 ]; do echo $i; i=$((i+1)); done',
		'[[ -z "$x" ]] || echo y',
		'command -v node',
		'[[ $x -gt 3 ]] && echo y',
		"find . -name '*.ts' | wc -l",
		'ENV=production npm run build',
		'gh pr view $NUMBER --comments',
		'gcc -Wl,-O1 -o main main.c',
		"find . -name '*.log' -mtime +7",
		'sed -i "s/version: .*/version: 2/" x.yml',
		"sed -n '/start/,/end/p' f",
		"awk '{print $1}' f",
		'tar -xzf a.tar.gz',
		'node --test',
		'node --version',
		'python -m pytest -q',
		'PAGER=cat git log',
		'git -c user.name=x commit -m y',
		'npm test > out.log 2>&1 || cat out.log',
		'chmod +x run.sh && ./run.sh',
		'cp a b && ls b',
		'while read -r line; do echo "$line"; done < f',
		'printf "%s" "$x"',
		'export A=1 B=2',
		'mytool $x --flag src/*.ts',
		'git rm --cached x && git commit -m "Remove rm x"',
		'gh pr create --title "It\'s (nearly) done" --body "$BODY"',
		"psql -c 'select a from (b)'",
		'which rm node | head -1',
		'cp a.ts b.ts && eslint b.ts',
		'brew install node',
		'date +%d/%m/%Y',
	])('%j', (command) => {
		const rules = [
			rule('bash', 'rm *, rm, sudo *, curl * | sh', 'deny'),
			rule('bash', '*', 'approve'),
		];
		expect(decision(command, ...rules)).toBe('approve');
	});
});
