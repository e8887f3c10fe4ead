import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";

/** What a part may import stands before it; parts in one list do not know each other. */
type Order = readonly (string | readonly string[])[];
const LAYERS: Order = [
  "lib",
  "contract",
  "machine",
  "call",
  "work",
  ["servers", "agents"],
  "features",
  "features.ts",
  "hub.ts",
  "surfaces",
];
/** Inside these the same holds for their folders, in a declared order. Features never import each other. */
const INSIDE: Readonly<Record<string, Order>> = {
  machine: ["files", "process", "net", "config", "oauth-client", "db", "text", "engine"],
  call: [
    ...["questions", "identity", "vault", "audit", "catalog", "search", "rules", "executor", "conversation"],
    ...["access", "tools"],
    ...["catalog-tools.ts", "open-trust.ts"],
  ],
  surfaces: ["gateway", "api", "oauth-server", "mount-api.ts", "daemon", "cli"],
};
/** A feature's own folder; what stands beside the folders puts features together. */
const isFeature = (part: string) => !part.endsWith(".ts");
const MAX_FILES = 20;
/** Folders that may hold more, and why. */
const LARGE_FOLDERS: Readonly<Record<string, string>> = {
  "machine/db/history": "one file for each migration that was ever released; none of them changes",
};
const FORBIDDEN_NAMES = /^(utils?|helpers?|managers?|common|misc)(\.|$)|[-.](utils?|helpers?|manager)\.ts$/;
const MAX_LINES = 500;
/** What only some calls, sources or servers need. */
const LATE = /^(?:@modelcontextprotocol\/|undici|unpdf|pg|playwright|@huggingface|onnxruntime)/;
/** Who asks the watchdog, and what for. */
const DECIDING: Readonly<Record<string, string>> = {
  "call/executor/prepare.ts": "whether a call runs",
  "call/executor/batch.ts":
    "which calls of a batch ask, so that people are asked once; each is decided again when it is made",
  "hub.ts": "hands isHidden to the catalogue and to what is offered beside tools",
  "call/access/effective-tools.ts": "shows people what an agent does not see, and why",
  "call/tools/tool-use.ts": "shows people what would become of a call",
  "call/rules/routes.ts": "explains",
  "call/rules/review/rule-check.ts": "shows what a rule would change",
  "call/rules/approvals/question-review.ts": "shows which rule asked",
  "servers/lists/names-in-use.ts": "lists rules that go by the name of a tool",
};
/** Who makes rules into something that decides. */
const MAKING_RULES = ["call/open-trust.ts", "call/rules/review/rule-cases.ts", "call/rules/watchdog.ts"];
/** Who looks at the origin of tools, for people. */
const SHOWING_ORIGINS: Readonly<Record<string, string>> = {
  "call/conversation/prompt-section.ts": "introduces servers and plugins to models by their names",
  "surfaces/api/metrics/call-statistics.ts": "counts the calls of each server",
  "call/tools/tool-filter.ts": "lists the tools of the origin that somebody asks for",
  "surfaces/cli/commands/servers/tool.ts": "sorts a list, and shows the script of a custom tool",
};
const SRC = join(import.meta.dirname, "..", "src");

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe("architecture", () => {
  it("knows the layer of every file", () => {
    const strangers = files.filter((file) => file !== "index.ts" && !isKnown(file));
    expect(strangers).toEqual([]);
  });

  it("lets a file import only from its own part and from those below", () => {
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

  it(`keeps at most ${MAX_FILES} files in a folder`, () => {
    const sizes = new Map<string, number>();
    for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
    const large = [...sizes].filter(([, count]) => count > MAX_FILES).map(([folder]) => folder);
    expect(large).toEqual(Object.keys(LARGE_FOLDERS));
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
    expect(running).toEqual([join("call", "executor", "execute.ts")]);
    const importing = [...imports].filter(([, targets]) =>
      targets.includes(join("call", "executor", "execute.ts")),
    );
    expect(importing.map(([file]) => file)).toEqual([join("call", "executor", "call-tool.ts")]);
  });

  it("asks no tool where it came from: what counts, a tool declares", () => {
    const asks = /\borigin\??\.(?:startsWith|includes)\(|\borigin\s*[=!]==?\s*"(?:native|platform|custom)"/;
    const asking = files.filter((file) => asks.test(readFileSync(join(SRC, file), "utf8")));
    expect(asking.filter((file) => !(file in SHOWING_ORIGINS))).toEqual([]);
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
    visit("surfaces/daemon/start-daemon.ts");
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
      `${join("api", "contract.ts")}: export type * from "../../../src/surfaces/api/contract.ts";`,
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

function partsOf(file: string): readonly string[] {
  return file.split(/[/]/);
}

function placeIn(order: Order, part: string | undefined): number {
  return order.findIndex(
    (level) => level === part || (part !== undefined && level.includes(part) && typeof level !== "string"),
  );
}

function isKnown(file: string): boolean {
  const [part, inside] = partsOf(file);
  const order = INSIDE[part!];
  return placeIn(LAYERS, part) !== -1 && (order === undefined || placeIn(order, inside) !== -1);
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
  const [[part, inside], [targetPart, targetInside]] = [partsOf(file), partsOf(target)];
  if (part !== targetPart) return isBelow(LAYERS, targetPart, part);
  if (inside === targetInside) return true;
  if (part === "features") return !isFeature(inside!);
  const order = INSIDE[part!];
  return order === undefined || isBelow(order, targetInside, inside);
}

function isBelow(order: Order, lower: string | undefined, upper: string | undefined): boolean {
  const [below, above] = [placeIn(order, lower), placeIn(order, upper)];
  return below !== -1 && below < above;
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
