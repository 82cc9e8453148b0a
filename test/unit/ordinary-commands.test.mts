// Commands of every day, each with the rule that approves it: a matcher that asks about everything fails here.
import { expect, test } from '@jest/globals';
import { decide } from '../../nodes/RunAgentSession/policy/rules.ts';
import { policy, request, rule } from './policies.mts';

/** Rules that deny or ask, as teams have them; none is about the commands below */
const DENYING = [
	rule('bash', 'rm -rf *, sudo *, dd *, mkfs*, shutdown*, curl * | sh, wget * | sh', 'deny'),
	rule('bash', 'git push *, npm publish*', 'ask'),
	rule('edit', '.env, *.pem', 'deny'),
];

const COMMANDS: Record<string, string[]> = {
	'ls *': [
		'ls -la src',
		'ls src',
		'ls -1 --color=never',
		'ls "my folder"',
		'ls -R src/components',
		'ls ./packages/core',
	],
	'cat *': [
		'cat package.json',
		'cat -n src/index.ts',
		'cat README.md LICENSE',
		"cat 'notes of today.md'",
		'cat docs/a/b.md',
	],
	'head *': ['head -n 20 src/index.ts', 'head -c 100 build.log'],
	'tail *': ['tail -n 50 build.log', 'tail -f logs/app.log'],
	'wc *': ['wc -l src/index.ts', 'wc -w README.md'],
	'grep *': [
		'grep -rn useState src',
		'grep -i "todo" README.md',
		'grep -c import src/a.ts',
		"grep -E 'a.b' src/a.ts",
		'grep --include=x -r foo src',
	],
	'rg *': ['rg useState', 'rg -l TODO src', 'rg -t ts "import React" src', 'rg --files'],
	'find . *': [
		'find . -name package.json',
		'find . -type f -maxdepth 2',
		'find . -newer README.md',
		"find . -name 'index.ts' -print",
	],
	'git status, git status *': ['git status', 'git status --short', 'git status -sb'],
	'git *': [
		'git log --oneline -5',
		'git show HEAD~1',
		'git branch -a',
		'git stash list',
		'git remote -v',
		'git fetch origin',
		'git rev-parse HEAD',
	],
	'git diff *': [
		'git diff HEAD',
		'git diff --stat main..next',
		'git diff origin/main...HEAD',
		'git diff -- src/a.ts',
		'git diff v1.2.3..v1.3.0',
	],
	'git add *': ['git add .', 'git add src/a.ts src/b.ts', 'git add -A', 'git add -p src/a.ts'],
	'git commit -m *': [
		'git commit -m "Fix the build"',
		"git commit -m 'Add tests, at last'",
		'git commit -m "feat: add login" --no-verify',
		'git commit -m "100% done"',
	],
	'git checkout *': [
		'git checkout main',
		'git checkout -b feature/login',
		'git checkout -- src/a.ts',
	],
	'git switch *': ['git switch main', 'git switch -c fix/typo'],
	'git pull, git pull *': ['git pull', 'git pull --rebase', 'git pull origin main'],
	'git merge *': ['git merge --no-ff next', 'git merge main'],
	'git rebase *': ['git rebase main', 'git rebase --continue'],
	'git log *': [
		'git log -p -1 src/a.ts',
		'git log --since=yesterday --author=Ann',
		'git log --graph --oneline --all',
	],
	'npm run *': [
		'npm run build',
		'npm run build -- --watch',
		'npm run test:unit -- --coverage',
		'npm run lint --silent',
		'npm run build --workspace=packages/core',
	],
	'npm test, npm test *': ['npm test', 'npm test -- src/a.test.ts', 'npm test --silent'],
	'npm *': [
		'npm ci',
		'npm ls --depth=0',
		'npm outdated',
		'npm view react version',
		'npm audit --omit=dev',
		'npm pkg get name',
	],
	'npm install *': [
		'npm install react',
		'npm install -D typescript@5.4.0',
		'npm install @types/node --save-dev',
		'npm install ./packages/core',
	],
	'npx *': [
		'npx tsc --noEmit',
		'npx eslint src --fix',
		'npx prettier --write src/a.ts',
		'npx jest src/a.test.ts -t "adds up"',
		'npx create-vite my-app --template react-ts',
	],
	'yarn *': [
		'yarn install --frozen-lockfile',
		'yarn build',
		'yarn workspace core test',
		'yarn add lodash',
	],
	'pnpm *': [
		'pnpm install',
		'pnpm -r build',
		'pnpm --filter @app/web dev',
		'pnpm dlx shadcn@latest add button',
	],
	'bun *': ['bun install', 'bun test --watch', 'bun run dev'],
	'node *': [
		'node index.js',
		'node --version',
		'node scripts/build.mjs --prod',
		'node --test test/a.test.js',
	],
	'node *.js': ['node index.js', 'node scripts/build.js'],
	'tsc *': ['tsc --noEmit', 'tsc -p tsconfig.build.json', 'tsc --watch'],
	'eslint *': ['eslint src', 'eslint --ext .ts,.tsx src', 'eslint src/a.ts --fix'],
	'prettier *': ['prettier --check .', 'prettier --write src/a.ts'],
	'jest *': ['jest --coverage', 'jest src/a.test.ts --runInBand', "jest -t 'adds up'"],
	'vitest *': ['vitest run', 'vitest run src/a.test.ts'],
	'python *': [
		'python manage.py migrate',
		'python -m pytest -q',
		'python setup.py sdist',
		'python --version',
	],
	'python3 *': [
		'python3 -m venv venv',
		'python3 scripts/report.py --month 2026-03',
		'python3 -m http.server 8000',
	],
	'pip *': [
		'pip install -r requirements.txt',
		'pip list --outdated',
		'pip install "django==5.0"',
		'pip freeze',
	],
	'pytest *': [
		'pytest -q',
		'pytest tests/test_a.py::test_b',
		'pytest -k "login and not slow"',
		'pytest -x --maxfail=1',
	],
	'poetry *': ['poetry install', 'poetry add requests'],
	'uv *': ['uv sync', 'uv pip install ruff'],
	'ruff *': ['ruff check .', 'ruff format src'],
	'go *': [
		'go build ./...',
		'go test ./... -run TestA',
		'go vet ./...',
		'go mod tidy',
		'go run ./cmd/server',
		'go get golang.org/x/tools@latest',
	],
	'cargo *': [
		'cargo build --release',
		'cargo test',
		'cargo clippy -- -D warnings',
		'cargo fmt',
		'cargo add serde --features derive',
	],
	'make *': [
		'make build',
		'make -j4 all',
		'make test V=1',
		'make -C packages/core',
		'make install DESTDIR=out',
	],
	'cmake *': ['cmake -S . -B build', 'cmake --build build -j 4'],
	'gcc *': ['gcc -Wall -O2 -o main main.c', 'gcc -c src/a.c -I include'],
	'docker *': [
		'docker ps -a',
		'docker build -t app:latest .',
		'docker compose up -d',
		'docker logs --tail 100 web',
		'docker images',
	],
	'kubectl get *': [
		'kubectl get pods',
		'kubectl get pods -n web -o wide',
		'kubectl get deploy/web -o yaml',
	],
	'terraform plan, terraform plan *': ['terraform plan', 'terraform plan -out=tfplan'],
	'curl *': [
		'curl https://api.example.com/v1/items',
		'curl -fsS -o out.json https://example.com/a.json',
		'curl -I http://localhost:3000',
		'curl --retry 3 https://example.com/a/b/c.tgz',
	],
	'mkdir *': ['mkdir src/components', 'mkdir -p src/a/b/c'],
	'touch *': ['touch src/a.ts', 'touch a.ts b.ts'],
	'cp *': ['cp src/a.ts src/b.ts', 'cp -r templates/base sites/new'],
	'mv *': ['mv src/a.ts src/b.ts', 'mv -n old.md docs/new.md'],
	'rm build/*': ['rm build/main.js', 'rm build/sub/main.js.map', 'rm build/.cache'],
	'rm -r build/*': ['rm -r build/sub'],
	'echo *': ['echo done', 'echo "Hello, world"', 'echo -n x'],
	'jq *': ['jq .name package.json', 'jq -r .version package.json', "jq '.scripts' package.json"],
	'sed -n *': ["sed -n '10,20p' src/a.ts", 'sed -n 5p README.md'],
	'sort *': ['sort -u names.txt', 'sort -k 2 data.csv'],
	'diff *': ['diff -u a.txt b.txt', 'diff -r src build'],
	'tree *': ['tree -L 2 src', 'tree -d'],
	'du *': ['du -sh build', 'du -h --max-depth=1 .'],
	'which *': ['which node', 'which npm git'],
	'date *': ['date +%F', 'date -u'],
	'gh pr *': [
		'gh pr list',
		'gh pr view 12 --comments',
		'gh pr create --title "Add login" --body "As discussed"',
		'gh pr checkout 12',
	],
	'php artisan *': ['php artisan migrate --seed', 'php artisan route:list'],
	'composer *': ['composer install --no-dev', 'composer require laravel/sanctum'],
	'bundle exec *': ['bundle exec rspec spec/a_spec.rb', 'bundle exec rake db:migrate'],
	'rails *': ['rails db:migrate', 'rails generate model User name:string'],
	'dotnet *': ['dotnet build -c Release', 'dotnet test --filter Name~Login'],
	'./gradlew *': ['./gradlew build', './gradlew test --tests com.example.ATest'],
	'mvn *': ['mvn -q test', 'mvn package -DskipTests=true'],
	'flutter *': ['flutter pub get', 'flutter test test/a_test.dart'],
	'NODE_ENV=test npm *': ['NODE_ENV=test npm test', 'NODE_ENV=test npm run e2e -- --headed'],
	'npm run build && npm run *': ['npm run build && npm run test -- --ci'],
	'cd packages/* && npm test': ['cd packages/core && npm test'],
	'npm ci && npm test': ['npm ci && npm test'],
	'git log * | head -*': ['git log --oneline | head -20'],
	'cat src/*.ts': ['cat src/index.ts', 'cat src/lib/util.ts'],
	'node scripts/*.mjs *': ['node scripts/build.mjs --prod', 'node scripts/seed.mjs 10 users'],
	'npm run ?': ['npm run x'],
};

const rows = Object.entries(COMMANDS).flatMap(([pattern, commands]) =>
	commands.map((command): [string, string] => [pattern, command]),
);

test('the list has at least 200 commands', () => {
	expect(new Set(rows.map(([, command]) => command)).size).toBeGreaterThanOrEqual(200);
});

test.each(rows)(
	'the rule %j approves %j, after rules that deny other commands',
	(pattern, command) => {
		const rules = [...DENYING, rule('bash', pattern, 'approve')];
		expect(decide(request({ patterns: [command] }), policy({ rules }))).toMatchObject({
			decision: 'approve',
			decidedBy: 'rule 4',
		});
	},
);
