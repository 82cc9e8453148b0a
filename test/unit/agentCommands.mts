// Commands as coding agents ask for them, written from what such logs look like: a frontend project, now and then another language.

export const AGENT_COMMANDS: readonly string[] = String.raw`
ls
ls -la
ls -la src/components
ls src/ | head -50
ls -1 src/pages | wc -l
ls -lt | head
ls *.json
ls src/*.ts
ls node_modules/.bin | grep eslint
ls public/images 2>/dev/null
ls -d */
tree -L 2 -I node_modules
tree src -L 3 --dirsfirst
find . -name "*.tsx" -not -path "./node_modules/*"
find src -type f -name "*.css"
find . -type f -size +1M
find . -maxdepth 2 -type d
find src -name '*.test.ts' | wc -l
find . -name "*.log" -mtime +7
find public -type f \( -name "*.png" -o -name "*.jpg" \)
find src -type f -name "*.ts" -exec grep -l "useAuth" {} \;
find src -name "*.tsx" | xargs grep -l "useState"
find . -name package.json -not -path "*/node_modules/*" | head
find dist -type f | sort
cat package.json
cat src/index.ts
cat .gitignore
cat README.md | head -40
cat package.json | jq .scripts
cat package.json | grep '"version"'
cat tsconfig.json 2>/dev/null || echo "no tsconfig"
cat src/styles/*.css
cat > src/config.ts << 'END'
head -n 40 src/App.tsx
head -100 CHANGELOG.md
tail -n 50 logs/app.log
tail -20 build.log
sed -n '1,80p' src/App.tsx
sed -n 120,180p src/server.ts
sed -i 's/foo/bar/g' src/config.ts
sed -i '' -e 's/3000/8080/' vite.config.ts
sed 's/^ *//' notes.txt
sed -n '$p' data.csv
awk '{print $1}' access.log | sort | uniq -c | sort -rn | head
awk -F, '{print $2, $4}' data.csv
awk 'NR>=10 && NR<=20' src/index.ts
awk '{sum += $3} END {print sum}' totals.txt
wc -l src/*.ts
wc -l src/index.ts src/App.tsx
wc -c dist/main.js
grep -rn "TODO" src
grep -rn "useEffect" src --include="*.tsx"
grep -rln 'legacy' src | head -20
grep -n "export default" src/App.tsx
grep -E "error|warn" build.log
grep -c "" src/index.ts
grep -rn "console\.log" src | wc -l
grep -v "^#" .env.example
grep -rn "foo(" src
grep -o '"[a-z-]*": "\^[0-9.]*"' package.json
grep -rn 'import .* from "react"' src | head -5
grep -i "license" README.md
grep -q "strict" tsconfig.json && echo yes
rg "createClient" src
rg -n "useMemo\(" src -g "*.tsx"
rg --files | head -100
rg -l "deprecated" --type ts
rg -i "todo|fixme" src -c
rg -A 3 "interface Props" src/components
cd packages/web && npm test
cd frontend && npm run build 2>&1 | tail -20
cd ../api && npm run lint
cd docs && ls
cd server && go test ./...
cd backend && python manage.py makemigrations
pwd
pwd && ls -la
which node
node --version
node -v && npm -v
node -e "console.log(require('./package.json').version)"
node -p "process.version"
node scripts/build.mjs
node scripts/seed.js --count 20
node --test test/unit.test.js
node --check src/server.js
node -e 'console.log(1 + 1)'
npm ci
npm i -D @types/node
npm install react@18 react-dom@18
npm run build 2>&1
npm run build 2>&1 | tail -30
npm run build > build.log 2>&1
npm run dev &
npm run test:unit
npm run typecheck && npm run lint
npm test -- --watch=false
npm test -- src/cart.test.ts
npm test -- -t "adds an item"
npm test 2>&1 | grep -E "Tests:|failed"
CI=1 npm test
CI=true npm run build
NODE_ENV=production npm run build
NODE_OPTIONS=--max-old-space-size=4096 npm run build
PORT=4000 npm start
DEBUG=app:* npm test
FORCE_COLOR=0 npx vitest run
npx tsc --noEmit
npx tsc --noEmit -p tsconfig.app.json
npx tsc --noEmit 2>&1 | head -20
npx eslint src --ext .ts,.tsx
npx eslint . --max-warnings=0
npx eslint "src/**/*.ts" --fix
npx prettier --check .
npx prettier --write src/App.tsx
npx prettier --write "src/**/*.{ts,tsx}"
npx vitest run src/utils
npx jest src/cart.test.ts -t 'totals'
npx playwright test --project=chromium
npx prisma migrate dev --name add_orders
npx tailwindcss -i src/in.css -o dist/out.css
npx create-next-app@latest web --typescript --eslint
npx shadcn@latest add button
npx npm-check-updates -u
npx http-server dist -p 8080
yarn
yarn install --frozen-lockfile
yarn test --watchAll=false
pnpm install
bun install
git status
git status && git diff --stat
git diff HEAD~1
git diff main...HEAD --name-only
git diff HEAD -- src/App.tsx
git diff HEAD^ HEAD
git log --oneline --graph --all | head -20
git log --since="2 weeks ago" --author="Ann"
git log --format='%h %s' -5
git log --pretty=format:"%h %an %s" -n 5
git log main..HEAD --oneline
git show HEAD:src/App.tsx
git show stash@{0}
git blame src/App.tsx -L 10,20
git branch -d old-feature
git checkout -b feature/cart
git restore --staged .
git add src/App.tsx src/App.css
git add src/*.ts
git add -A && git commit -m "Add the cart page"
git commit -m "Fix typo"
git commit -m "fix(cart): round totals (#12)"
git commit -m "Use \"strict\" mode"
git commit -m "Add login" -m "It uses the new session API."
git commit -m "$(cat <<'END'"
git stash push -m "wip"
git push -u origin feature/cart
git push --force-with-lease
git cherry-pick a1b2c3d
git ls-files | head -50
git ls-files "*.md"
git tag v1.2.0
git tag -l "v1.*"
git config --get user.email
git config user.name
git clone https://github.com/example/site.git
git -C packages/web status
git grep -n "useCart" -- "*.tsx"
git shortlog -sn
git merge-base main HEAD
gh pr list
gh pr view 12 --json title,body
gh pr create --title "Add cart" --body "Adds the cart page."
gh pr checks
gh issue view 41
gh run list --limit 5
gh api repos/example/site/pulls
mkdir -p src/components/cart
mkdir -p src/{components,hooks,utils}
mkdir dist && cp -r public/* dist/
touch src/components/Cart.tsx
touch README.md LICENSE
cp src/App.tsx src/App.backup.tsx
cp -r templates/base sites/new
cp .env.example .env
mv src/old.ts src/new.ts
mv build/*.js dist/
rm src/old.ts
rm -f build.log
rm -r tmp
rm dist/*.map
rmdir empty
ln -s ../shared src/shared
chmod +x scripts/deploy.sh
chmod 644 config.json
echo done
echo "Hello" > hello.txt
echo "node_modules" >> .gitignore
echo $PATH
echo "$HOME"
echo "---" && cat src/a.ts && echo "---" && cat src/b.ts
printf "a\nb\n" > list.txt
date
date +%Y-%m-%d
env | sort
env | grep NODE
printenv NODE_ENV
export NODE_ENV=test
diff -u src/a.ts src/b.ts
diff <(ls src) <(ls dist)
sort names.txt | uniq
sort -u words.txt
cut -d, -f1 data.csv | sort -u
tr a-z A-Z < in.txt
jq '.dependencies | keys' package.json
jq -r '.scripts | to_entries[] | "\(.key): \(.value)"' package.json
jq .version package.json
xargs -n1 echo < list.txt
tee out.txt < in.txt
basename src/App.tsx .tsx
realpath dist
stat package.json
file public/logo.png
du -sh node_modules
du -sh dist/*
df -h
ps aux | grep node
ps aux | grep -v grep | grep vite
lsof -i :3000
kill 12345
sleep 5
sleep 3 && curl -s http://localhost:3000/health
timeout 60 npm test
timeout 30s npm run dev
time npm run build
curl -s http://localhost:3000
curl -I https://example.com
curl -s https://api.example.com/v1/items | jq .
curl -s -o /dev/null -w "%{http_code}" http://localhost:3000
curl -X POST http://localhost:3000/api/cart -H "Content-Type: application/json" -d '{"id": 1}'
curl -fsSL https://example.com/data.json -o data.json
curl "http://localhost:3000/api/items?page=2&size=10"
curl http://localhost:3000/api/items?page=2
wget -q https://example.com/logo.svg
tar -czf site.tar.gz dist
tar -xzf site.tar.gz
unzip -l site.zip
zip -r site.zip dist
python3 -m venv .venv
python3 -m pytest -q
python3 scripts/report.py --month 2026-03
python3 -c "print(1 + 1)"
python -m json.tool data.json
python manage.py migrate
pip install -r requirements.txt
pip list --outdated
pytest tests/test_cart.py -k "total and not slow"
pytest -x -q 2>&1 | tail -15
ruff check . --fix
black --check src
mypy src
uv sync
poetry install
go build ./...
go test ./... -run TestCart -v
go vet ./...
go mod tidy
gofmt -l .
cargo build --release
cargo test -- --nocapture
cargo clippy -- -D warnings
make build
make test V=1
docker ps
docker compose up -d
docker build -t site:latest .
docker logs --tail 50 web
docker exec web ls /app
psql -c "select count(*) from orders"
sqlite3 dev.db ".tables"
bash scripts/deploy.sh
sh -c "npm test"
source .venv/bin/activate && pytest
./scripts/check.sh
./gradlew test
composer install --no-dev
php artisan migrate --seed
bundle exec rspec spec/cart_spec.rb
wp plugin list --status=active
hugo --minify
vercel --prod
netlify deploy --dir=dist
lighthouse https://staging.example.com --output=json
if [ -f package.json ]; then cat package.json; fi
for f in src/*.ts; do echo $f; done
test -f .env && echo exists
[ -d dist ] && ls dist
true
# check the build
npm run build # production
npm test; npm run lint
npm run lint || true
npm run build && echo "Build OK" || echo "Build failed"
ls -lh dist/assets
ls app/api
ls -R src/lib | head -60
cat src/app/layout.tsx
cat src/app/blog/[slug]/page.tsx
cat next.config.mjs
cat vite.config.ts tsconfig.node.json
cat -n src/lib/format.ts
cat src/App.tsx | sed -n '1,40p'
cat .eslintrc.json .prettierrc
cat docker-compose.yml
cat package-lock.json | grep -A 3 '"node_modules/react"'
head -c 300 public/manifest.json
tail -f logs/dev.log
less README.md
nl -ba src/index.ts | sed -n '10,30p'
grep -rn "className=" src/components/Header.tsx
grep -rn --exclude-dir=node_modules "process.env" .
grep -rnE "(TODO|FIXME)" src | wc -l
grep -A 5 -B 2 "function total" src/cart.ts
grep -rl "from 'lodash'" src
rg "fetch\(" src -g '!*.test.ts'
rg -n "export (const|function)" src/lib
find src -name "*.module.css" -empty
find . -name "*.orig" -not -path "./node_modules/*" -delete
find src/app -name "page.tsx" | sort
find public -name "*.svg" -size +50k
sed -n '/export default/,$p' src/App.tsx
sed -i "s#/old-path#/new-path#g" src/routes.ts
sed -e 's/^[ \t]*//' -e '/^$/d' notes.md
awk -F'"' '/version/ {print $4}' package.json
awk 'length > 120' src/App.tsx
git status --short
git status --porcelain | wc -l
git diff --cached
git diff --stat main
git diff HEAD~3 -- package.json | head -40
git log -1 --stat
git log --oneline -- src/App.tsx
git log -S "useCart" --oneline
git show --stat HEAD
git show a1b2c3d:package.json
git add .
git add -p src/App.tsx
git commit --amend --no-edit
git commit -am "Update dependencies"
git checkout main
git checkout -- src/App.tsx
git switch -c fix/footer
git pull --rebase
git fetch origin
git merge feature/cart
git rebase main
git reset --soft HEAD~1
git reset HEAD src/App.tsx
git stash pop
git remote -v
git branch --show-current
git rev-parse --short HEAD
git worktree list
git clean -n
git ls-tree -r HEAD --name-only src
git apply fix.patch
git mv src/old.tsx src/new.tsx
npm install
npm install --save-dev vitest @testing-library/react
npm uninstall moment
npm outdated
npm ls react
npm audit --omit=dev
npm run
npm run lint -- --fix
npm run build && npm run preview
npm run storybook -- --port 6007 --ci
npm view react version
npm pkg get scripts
npx next build
npx astro check
npx sv check --tsconfig ./tsconfig.json
npx depcheck
npx stylelint "src/**/*.css" --fix
npx drizzle-kit push
npx wrangler deploy --dry-run
npx serve dist -l 5000
pnpm --filter web build
pnpm add zod
yarn workspace web test
bun test src/cart.test.ts
node scripts/sitemap.js > public/sitemap.xml
node --import tsx scripts/seed.ts
node -e "const p = require('./package.json'); console.log(Object.keys(p.dependencies).length)"
deno fmt --check
mkdir -p public/fonts && cp node_modules/inter-ui/*.woff2 public/fonts/
cp -r src/templates/blog src/templates/shop
mv public/*.jpg public/images/
rm -rf dist
rm -rf .next/cache
rm -f public/images/old-*.png
touch .nojekyll
curl -sS -o /dev/null -w "%{time_total}" https://example.com/
curl -s "https://api.example.com/v1/search?q=shoes" -H "Accept: application/json"
curl -s -X DELETE http://localhost:3000/api/cart/1
curl --fail --silent --show-error http://localhost:3000/
docker compose logs -f web
docker compose exec db psql -U postgres -c '\dt'
docker run --rm -p 8080:80 nginx:alpine
docker images | grep site
python3 -m http.server 8000
python3 scripts/resize.py --in public/images --out public/thumbs
convert public/hero.png -resize 1200x public/hero.webp
cwebp -q 80 public/hero.png -o public/hero.webp
du -ah dist | sort -rh | head -20
ps -ef | grep next
pkill -f "next dev"
lsof -ti:3000 | xargs kill
echo "export const version = '1.2.0';" > src/version.ts
test -d node_modules || npm ci
cd site && npm ci && npm run build
cd web && npx tsc --noEmit && cd ..
`
	.trim()
	.split('\n');
