// Commands as coding agents ask for them, written from what such logs look like: a frontend project, now and then another language. One of
// each form that rules approve, and all of which approvers are asked.

export const AGENT_COMMANDS: readonly string[] = String.raw`
ls
ls -la src/components
ls src/ | head -50
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
cat .gitignore
cat package.json | jq .scripts
cat package.json | grep '"version"'
cat tsconfig.json 2>/dev/null || echo "no tsconfig"
cat > src/config.ts << 'END'
sed -n '1,80p' src/App.tsx
sed -i '' -e 's/3000/8080/' vite.config.ts
sed 's/^ *//' notes.txt
sed -n '$p' data.csv
awk '{print $1}' access.log | sort | uniq -c | sort -rn | head
awk -F, '{print $2, $4}' data.csv
awk 'NR>=10 && NR<=20' src/index.ts
awk '{sum += $3} END {print sum}' totals.txt
wc -l src/*.ts
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
grep -q "strict" tsconfig.json && echo yes
rg "createClient" src
rg -n "useMemo\(" src -g "*.tsx"
rg -l "deprecated" --type ts
rg -i "todo|fixme" src -c
rg -A 3 "interface Props" src/components
cd packages/web && npm test
cd frontend && npm run build 2>&1 | tail -20
cd ../api && npm run lint
cd server && go test ./...
node -e "console.log(require('./package.json').version)"
node -p "process.version"
node -e 'console.log(1 + 1)'
npm i -D @types/node
npm run build 2>&1
npm run build 2>&1 | tail -30
npm run build > build.log 2>&1
npm run dev &
npm run typecheck && npm run lint
npm test -- --watch=false
npm test -- src/cart.test.ts
npm test -- -t "adds an item"
npm test 2>&1 | grep -E "Tests:|failed"
CI=1 npm test
NODE_OPTIONS=--max-old-space-size=4096 npm run build
DEBUG=app:* npm test
FORCE_COLOR=0 npx vitest run
npx eslint src --ext .ts,.tsx
npx eslint . --max-warnings=0
npx eslint "src/**/*.ts" --fix
npx prettier --check .
npx prettier --write "src/**/*.{ts,tsx}"
npx jest src/cart.test.ts -t 'totals'
npx playwright test --project=chromium
git diff HEAD~1
git diff main...HEAD --name-only
git diff HEAD^ HEAD
git log --since="2 weeks ago" --author="Ann"
git log --format='%h %s' -5
git log --pretty=format:"%h %an %s" -n 5
git log main..HEAD --oneline
git show stash@{0}
git restore --staged .
git add -A && git commit -m "Add the cart page"
git commit -m "Fix typo"
git commit -m "fix(cart): round totals (#12)"
git commit -m "Use \"strict\" mode"
git commit -m "Add login" -m "It uses the new session API."
git commit -m "$(cat <<'END'"
git stash push -m "wip"
git push -u origin feature/cart
git ls-files "*.md"
git tag -l "v1.*"
git config --get user.email
git config user.name
git clone https://github.com/example/site.git
git grep -n "useCart" -- "*.tsx"
gh pr create --title "Add cart" --body "Adds the cart page."
mkdir -p src/{components,hooks,utils}
mkdir dist && cp -r public/* dist/
cp .env.example .env
mv build/*.js dist/
ln -s ../shared src/shared
chmod +x scripts/deploy.sh
echo "Hello" > hello.txt
echo "node_modules" >> .gitignore
echo $PATH
echo "$HOME"
echo "---" && cat src/a.ts && echo "---" && cat src/b.ts
printf "a\nb\n" > list.txt
date +%Y-%m-%d
export NODE_ENV=test
diff <(ls src) <(ls dist)
tr a-z A-Z < in.txt
jq '.dependencies | keys' package.json
jq -r '.scripts | to_entries[] | "\(.key): \(.value)"' package.json
jq .version package.json
xargs -n1 echo < list.txt
tee out.txt < in.txt
basename src/App.tsx .tsx
du -sh dist/*
ps aux | grep -v grep | grep vite
lsof -i :3000
sleep 3 && curl -s http://localhost:3000/health
curl -s http://localhost:3000
curl -s https://api.example.com/v1/items | jq .
curl -s -o /dev/null -w "%{http_code}" http://localhost:3000
curl -X POST http://localhost:3000/api/cart -H "Content-Type: application/json" -d '{"id": 1}'
curl -fsSL https://example.com/data.json -o data.json
curl "http://localhost:3000/api/items?page=2&size=10"
curl http://localhost:3000/api/items?page=2
python3 -c "print(1 + 1)"
pytest tests/test_cart.py -k "total and not slow"
ruff check . --fix
go build ./...
go test ./... -run TestCart -v
cargo test -- --nocapture
cargo clippy -- -D warnings
docker exec web ls /app
psql -c "select count(*) from orders"
sqlite3 dev.db ".tables"
bash scripts/deploy.sh
sh -c "npm test"
source .venv/bin/activate && pytest
./scripts/check.sh
./gradlew test
lighthouse https://staging.example.com --output=json
if [ -f package.json ]; then cat package.json; fi
for f in src/*.ts; do echo $f; done
test -f .env && echo exists
[ -d dist ] && ls dist
# check the build
npm run build # production
npm test; npm run lint
npm run lint || true
npm run build && echo "Build OK" || echo "Build failed"
cat src/app/blog/[slug]/page.tsx
cat src/App.tsx | sed -n '1,40p'
cat .eslintrc.json .prettierrc
grep -rn "className=" src/components/Header.tsx
grep -rn --exclude-dir=node_modules "process.env" .
grep -rnE "(TODO|FIXME)" src | wc -l
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
git diff HEAD~3 -- package.json | head -40
npm audit --omit=dev
npx sv check --tsconfig ./tsconfig.json
node scripts/sitemap.js > public/sitemap.xml
node -e "const p = require('./package.json'); console.log(Object.keys(p.dependencies).length)"
mkdir -p public/fonts && cp node_modules/inter-ui/*.woff2 public/fonts/
rm -rf dist
rm -rf .next/cache
curl -s "https://api.example.com/v1/search?q=shoes" -H "Accept: application/json"
docker compose exec db psql -U postgres -c '\dt'
echo "export const version = '1.2.0';" > src/version.ts
test -d node_modules || npm ci
cd site && npm ci && npm run build
cd web && npx tsc --noEmit && cd ..
`
	.trim()
	.split('\n');
