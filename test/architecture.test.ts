import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** A folder imports only from lower levels or itself, never from a sibling of its own level. */
const LEVELS: readonly (readonly string[])[] = [
  ["tool.ts", "caller.ts", "offer.ts", "define-tool.ts", "errors.ts", "events.ts", "lib"],
  ["config", "store", "net", "process"],
  ["vault", "text", "identity", "audit", "questions", "clients", "projects"],
  ["upstream", "catalog", "watchdog", "knowledge", "native", "custom", "plugins", "platform"],
  ["executor"],
  ["session"],
  ["agent", "orchestrator"],
  ["own-knowledge.ts", "own-tools.ts", "trust.ts", "hub-options.ts"],
  ["hub.ts"],
  ["gateway", "api"],
  ["daemon"],
  ["cli"],
];
/** Parts of level 0 build on each other, in this order. */
const LEVEL_ZERO = ["lib", "caller.ts", "tool.ts", "offer.ts", "errors.ts", "define-tool.ts", "events.ts"];
const FORBIDDEN_NAMES = /^(utils?|helpers?|managers?|common|misc)(\.|$)|[-.](utils?|helpers?|manager)\.ts$/;
const MAX_LINES = 500;
/** What only some calls, sources or servers need. */
const LATE = /^(?:@modelcontextprotocol\/|undici|unpdf|pg|playwright|@huggingface|onnxruntime)/;
/** Who asks the watchdog, and what for. */
const DECIDING: Readonly<Record<string, string>> = {
  "executor/call-tool.ts": "whether a call runs",
  "executor/batch-asks.ts":
    "which calls of a batch ask, so that people are asked once; each is decided again when it is made",
  "hub.ts": "hands isHidden to the catalogue and to what is offered beside tools",
  "api/agent-tools.ts": "shows people what an agent does not see, and why",
  "api/tool-use.ts": "shows people what would become of a call",
  "api/routes/rules.ts": "explains",
  "api/rule-check.ts": "shows what a rule would change",
  "api/question-review.ts": "shows which rule asked",
  "api/names-in-use.ts": "lists rules that go by the name of a tool",
};
/** Who makes rules into something that decides. */
const MAKING_RULES = ["trust.ts", "watchdog/decider.ts", "watchdog/rule-cases.ts", "watchdog/watchdog.ts"];
const SRC = join(import.meta.dirname, "..", "src");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe("architecture", () => {
  it("knows the level of every file", () => {
    const strangers = files.filter((file) => file !== "index.ts" && levelOf(file) === -1);
    expect(strangers).toEqual([]);
  });

  it("lets a folder import only from lower levels or itself", () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !mayImport(file, target)).map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycle", () => {
    expect(findCycle()).toBeUndefined();
  });

  it("asks what may run, and what is seen, in few places: nothing else decides", () => {
    const asks = /\bwatchdog\??\.(?:decide|isHidden|mayAsk|decider)\b/;
    const found = files.filter((file) => asks.test(readFileSync(join(SRC, file), "utf8")));
    expect(found.sort()).toEqual(Object.keys(DECIDING).sort());
    const rules = /\bnew (?:Rules|Decider|Watchdog)\(/;
    const made = files.filter((file) => rules.test(readFileSync(join(SRC, file), "utf8")));
    expect(made.sort()).toEqual(MAKING_RULES);
  });

  it("imports only files that exist", () => {
    const missing = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !imports.has(target)).map((target) => `${file} → ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it(`keeps every file under ${MAX_LINES} lines`, () => {
    const long = files
      .map((file) => [file, readFileSync(join(SRC, file), "utf8").split("\n").length] as const)
      .filter(([, lines]) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it("names every file after its one concept", () => {
    expect(files.filter((file) => FORBIDDEN_NAMES.test(basename(file)))).toEqual([]);
    expect(files.filter((file) => !/^[a-z0-9-]+\.ts$/.test(basename(file)))).toEqual([]);
  });

  it("runs tools in one place only", () => {
    const running = files.filter((file) => /\btool\.run\(/.test(readFileSync(join(SRC, file), "utf8")));
    expect(running).toEqual([join("executor", "run-tool.ts")]);
    const importing = [...imports].filter(([, targets]) => targets.includes(join("executor", "run-tool.ts")));
    expect(importing.map(([file]) => file)).toEqual([join("executor", "call-tool.ts")]);
  });

  it("loads large packages only where they are used, not at every start", () => {
    const reached = new Set<string>();
    const loaded = new Map<string, string>();
    const visit = (file: string) => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const target of loadedBy(file)) {
        if (target.startsWith(".")) visit(normalize(join(dirname(file), target)));
        else loaded.set(target, file);
      }
    };
    visit("daemon/start-daemon.ts");
    expect(reached.size).toBeGreaterThan(200);
    expect([...loaded].filter(([target]) => LATE.test(target))).toEqual([]);
  });

  it("has no default exports", () => {
    expect(files.filter((file) => /^export default/m.test(readFileSync(join(SRC, file), "utf8")))).toEqual(
      [],
    );
  });
});

const DASHBOARD = join(import.meta.dirname, "..", "dashboard", "src");
const dashboardFiles = readdirSync(DASHBOARD, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.tsx?$/.test(file),
);

describe("the dashboard", () => {
  it("knows of the daemon only types of its contract, in one place", () => {
    const outside = dashboardFiles.flatMap((file) =>
      [...readFileSync(join(DASHBOARD, file), "utf8").matchAll(/^.*(?:from|import\()\s*"(\.[^"]+)".*$/gm)]
        .filter(([, target]) => relative(DASHBOARD, join(DASHBOARD, dirname(file), target!)).startsWith(".."))
        .map(([line]) => `${file}: ${line}`),
    );
    expect(outside).toEqual([
      `${join("api", "contract.ts")}: export type * from "../../../src/api/contract.ts";`,
    ]);
  });

  it("turns no text into markup", () => {
    const dangerous =
      /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
    expect(
      dashboardFiles.filter((file) => dangerous.test(readFileSync(join(DASHBOARD, file), "utf8"))),
    ).toEqual([]);
  });

  it(`keeps every file under ${MAX_LINES} lines, named after its one concept`, () => {
    const long = dashboardFiles.filter(
      (file) => readFileSync(join(DASHBOARD, file), "utf8").split("\n").length > MAX_LINES,
    );
    expect(long).toEqual([]);
    expect(dashboardFiles.filter((file) => !/^[a-z0-9-]+\.tsx?$/.test(basename(file)))).toEqual([]);
    expect(dashboardFiles.filter((file) => FORBIDDEN_NAMES.test(basename(file)))).toEqual([]);
  });
});

function importsOf(file: string): string[] {
  const source = readFileSync(join(SRC, file), "utf8");
  const found = source.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...found].map((match) => relative(SRC, normalize(join(SRC, dirname(file), match[1]!))));
}

function partOf(file: string): string {
  return file.split(/[\\/]/)[0]!;
}

function levelOf(file: string): number {
  return LEVELS.findIndex((parts) => parts.includes(partOf(file)));
}

/** What is loaded with a file: neither types nor what is imported later. */
function loadedBy(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/^(?:import|export) (?!type )([^;]*?) from "([^"]+)";$/gms)]
    .filter(([, names]) => !/^\{(?:\s*type \w+(?: as \w+)?,?\s*)+\}$/.test(names!))
    .map(([, , target]) => target!);
}

function mayImport(file: string, target: string): boolean {
  if (file === "index.ts") return true;
  const [from, to] = [partOf(file), partOf(target)];
  if (from === to) return true;
  if (levelOf(file) === 0)
    return LEVEL_ZERO.indexOf(to) < LEVEL_ZERO.indexOf(from) && LEVEL_ZERO.includes(to);
  return levelOf(target) !== -1 && levelOf(target) < levelOf(file);
}

function findCycle(): string | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" → ");
    if (done.has(file)) return undefined;
    path.push(file);
    for (const target of imports.get(file) ?? []) {
      const cycle = visit(target);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of files) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}
