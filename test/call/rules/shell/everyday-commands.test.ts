// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of a shell.
import { describe, expect, it } from "vitest";
import { Rules } from "../../../../src/call/rules/rules.ts";
import { readCommandLine } from "../../../../src/call/rules/shell/shell-words.ts";

const tool = { name: "it", origin: "native", ownName: "it", inputSchema: {} };

/** What agents and people run all day: all of it is read for certain. */
const EVERYDAY = [
  "ls -la",
  "ls *.md src/**/*.ts",
  "cd packages/app && npm test",
  "cd /srv/app; npm ci && npm run build",
  "npm test -- --run test/a.test.ts",
  "npm run build 2>&1 | tail -20",
  "npm install --save-dev vitest@3",
  "npx prettier --write src",
  "npx -y cowsay hello",
  "npx vitest run test/x.test.ts --maxWorkers=1",
  "pnpm exec eslint .",
  "uv run pytest -q",
  "poetry run black .",
  "bundle exec rspec",
  "yarn build",
  "git status",
  "git status --short && git diff --stat",
  'git commit -m "fix: it works; really (mostly) & well"',
  "git commit -m 'costs $5'",
  'git commit -am "say \\"hello\\""',
  "git commit -F - <<'EOF'\nfix: it's done\n\nBecause `x` and $(y) are text here.\nEOF",
  "git -C sub log --oneline -5",
  "git -c user.name=ada -c user.email=a@b.example commit -m x",
  "git log --format='%h %s' | head -5",
  "git push origin HEAD:refs/heads/main",
  "git rebase --onto main a b",
  "git config --get user.name",
  "git config user.email a@b.example",
  "git checkout -- 'a b.txt'",
  "GIT_PAGER=cat git log -1",
  "NODE_ENV=test CI=1 npm test",
  "FOO='a b' node server.js",
  "node scripts/build.mjs --watch",
  "node --test test/",
  "node --version",
  "python3 -m pytest -q tests",
  "python manage.py migrate",
  "python3.12 tool.py --flag",
  "pip install -r requirements.txt",
  "make -j8 all",
  "make test CFLAGS=-O2",
  "cmake -S . -B build && cmake --build build",
  "cargo test --workspace -- --nocapture",
  "cargo clippy --all-targets -- -D warnings",
  "go test ./... -run 'TestA|TestB'",
  "./gradlew build --info",
  "./scripts/run.sh --fast",
  "mvn -q -DskipTests package",
  "docker build -t app .",
  "docker ps --format '{{.Names}}'",
  "docker compose up -d",
  "docker logs -f web | grep error",
  "kubectl get pods -n web",
  "kubectl exec -it pod -- ls /",
  "curl -sS https://example.com/a?b=c | jq '.items[] | .name'",
  "curl -X POST -H 'content-type: application/json' -d '{\"a\":1}' http://127.0.0.1:8080/",
  "wget -q https://example.com/x.tar.gz -O /tmp/x.tar.gz",
  "tar xzf x.tar.gz -C /tmp",
  "tar -czf out.tgz --exclude=node_modules .",
  "unzip -o a.zip",
  "grep -rn 'foo(bar)' src --include=*.ts",
  'grep -E "a|b" file | sort | uniq -c | sort -rn | head',
  "rg -n 'x\\.y' src",
  "sed -n '1,20p' file.txt",
  "sed -i 's/foo/bar/g' src/a.ts",
  "sed -e 's/a/b/' -e '/^#/d' file",
  "sed 's|/usr|/opt|; s/e/E/g' conf",
  "awk '{print $1, $NF}' file",
  "awk -F: '$3 > 1000 {print $1}' /etc/passwd",
  "find . -name '*.ts' -not -path './node_modules/*'",
  "find src -type f -exec wc -l {} +",
  "find . -name '*.log' -mtime +7 -delete",
  "find . -name '*.ts' | xargs grep -l foo",
  "find . -print0 | xargs -0 -n 10 ls -l",
  'for f in *.txt; do echo "$f"; done',
  'for i in 1 2 3; do echo "run $i"; sleep 1; done',
  "for i in $(seq 1 5); do curl -s localhost:8080/$i; done",
  'while read -r line; do echo "$line"; done < file.txt',
  "if [ -f package.json ]; then npm ci; else echo none; fi",
  "[ -d build ] || mkdir build",
  '[[ -n "$CI" && $BRANCH == main ]] && npm run release',
  "if [[ $x =~ ^(a|b)$ ]]; then ls; fi",
  "test -f a.txt && cat a.txt",
  "echo $HOME",
  'echo "now: $(date)"',
  "echo `pwd`",
  'echo "${NAME:-nobody}" > out.txt',
  "printf '%s\\n' a b c",
  "printf '%s\\n' '$(date)'",
  "export PATH=$PATH:./bin",
  "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done",
  "((i++))",
  "count=5; echo $((count * 2))",
  "cat > a.txt <<EOF\nhello $USER\nEOF",
  "cat <<'EOF' > a.sh\n#!/bin/sh\nit's $(fine)\nEOF",
  "cat a.txt | tee b.txt > /dev/null 2>&1",
  "diff <(sort a) <(sort b)",
  "sudo apt-get install -y jq",
  "sudo -u postgres psql -l",
  "timeout 60 npm test",
  "timeout -k 5 60s npm test",
  "nohup node server.js > log 2>&1 &",
  "nice -n 10 make",
  "env NODE_ENV=test npm test",
  "time npm test",
  "bash -c 'cd x && ls'",
  'sh -c "echo hi"',
  "xargs -a list.txt ls",
  "ssh host uptime",
  "ssh -i key user@host 'df -h'",
  "scp a.txt host:b.txt",
  "rsync -av a/ b/",
  "ps aux | grep node | grep -v grep",
  "kill -TERM 1234",
  "trap 'echo done' EXIT; npm test",
  "case $1 in start) npm start;; *) echo usage;; esac",
  'f() { echo "$1"; }; f a',
  "set -euo pipefail; npm test",
  "echo a # a comment, it's harmless",
  "# what follows lists\nls",
  "npm test \\\n  -- --run",
  "true && { ls; pwd; } || echo no",
  "(cd a && ls)",
  "command -v node",
  "which node && node -v",
  "type ls",
  "date +%Y-%m-%d",
  "chmod +x a.sh && ./a.sh",
  "jq -r '.[] | select(.a == \"b\") | .c' x.json",
  "psql -d app",
  "sort -u a.txt -o b.txt",
  "ls ~/x && cp -r ~/x /tmp/y",
  "echo {a,b} [x] *.md",
  "mkdir -p a/{b,c}",
];

describe("everyday commands", () => {
  it.each(EVERYDAY)("%j is read for certain", (command) => {
    expect(readCommandLine(command).unread).toEqual([]);
    const deny = new Rules([
      { permission: "it", pattern: { command: "rm *" }, action: "deny", from: "user" },
    ]);
    expect(deny.decide(tool, { args: { command } }).action).toBe("allow");
  });

  const ALLOWED = EVERYDAY.filter((command) => /^[\w./-]+ [^$`<>|;&()#\n]*$/.test(command));
  it.each(ALLOWED)("%j is allowed by a rule about its program", (command) => {
    const [program, second = ""] = command.split(" ");
    const wrapped =
      /^(?:npx|pnpm|uv|poetry|bundle|sudo|timeout|nice|env|bash|sh|xargs|time|find|kubectl|ssh)$/.test(
        program!,
      );
    // A wrapper is allowed with what it runs, not with anything.
    const pattern = wrapped ? command : second === "" ? program! : `${program} *`;
    const rules = new Rules([
      { permission: "it", action: "ask", from: "user" },
      { permission: "it", pattern: { command: pattern }, action: "allow", from: "user" },
    ]);
    expect(rules.decide(tool, { args: { command } }).action).toBe("allow");
  });
});

describe("an allow of a wrapper", () => {
  const allows = (pattern: string, command: string) =>
    new Rules([
      { permission: "it", action: "ask", from: "user" },
      { permission: "it", pattern: { command: pattern }, action: "allow", from: "user" },
    ]).decide(tool, { args: { command } }).action === "allow";

  it("is one of the program that it writes out", () => {
    expect(allows("npx prettier *", "npx prettier --write src")).toBe(true);
    expect(allows("timeout * npm *", "timeout 60 npm test")).toBe(true);
    expect(allows("env NODE_ENV=test npm *", "env NODE_ENV=test npm run a")).toBe(true);
    expect(allows("sudo -u postgres psql *", "sudo -u postgres psql -l")).toBe(true);
    expect(allows("find * -exec wc *", "find src -exec wc -l {} +")).toBe(true);
    expect(allows("find *", "find src -name '*.ts'")).toBe(true);
  });

  it("does not allow another program", () => {
    expect(allows("timeout *", "timeout 60 rm x")).toBe(false);
    expect(allows("timeout * npm *", "timeout 60 rm npm x")).toBe(false);
    expect(allows("env *", "env rm x")).toBe(false);
    expect(allows("find *", "find . -exec rm {} +")).toBe(false);
    expect(allows("bash *", "bash -c 'npm test'")).toBe(false);
    expect(allows("sudo *", "sudo ls")).toBe(false);
  });

  it("allows what cannot be read only where it is written out", () => {
    for (const command of ["python -c 'print(1)'", "bash build.sh", ". ./env.sh", 'eval "$(x)"']) {
      expect(allows(command, command)).toBe(true);
      expect(allows(`${command.slice(0, -3)}*`, command)).toBe(false);
    }
    expect(allows("source .venv/bin/activate && pytest *", "source .venv/bin/activate && pytest -q a")).toBe(
      true,
    );
    expect(allows("source * && pytest -q", "source .venv/bin/activate && pytest -q")).toBe(false);
    expect(allows("python *", "python manage.py migrate")).toBe(true);
  });
});

it("is quick with what is made to be slow", () => {
  const texts = [
    "(".repeat(20_000),
    "((".repeat(10_000),
    "$((".repeat(6_000),
    "$(".repeat(10_000),
    '"$('.repeat(6_000),
    "`".repeat(20_000),
    "${".repeat(10_000),
    "{".repeat(20_000),
    "<<a ".repeat(5_000),
    "case ".repeat(4_000),
    "a=(".repeat(6_000),
    "[[ ".repeat(6_000),
    "env ".repeat(5_000),
    "\\\n".repeat(10_000),
    "#".repeat(20_000),
    `${"$x ".repeat(6_000)}`,
    `echo ${"*".repeat(19_000)}`,
    "s/a/b/;".repeat(300),
    `sed '${"s/e/b/;".repeat(250)}'`,
    `sed '${"/".repeat(1_900)}e'`,
    "eval ".repeat(4_000),
    "x;".repeat(10_000),
  ];
  const started = process.cpuUsage();
  for (const text of texts) readCommandLine(text);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(3_000);
});
