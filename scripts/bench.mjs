// `npm run bench [-- NAME …] [OPTIONS]`: builds if needed and runs the benchmarks, all or those named. Ends with 1 when one of them misses a
// bar that counts.
import { existsSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run } from "./run.mjs";

/** Each has `bench(options)`, `toMarkdown(result)` and, where it has bars, `missed(result, options)`. */
const BENCHMARKS = {
  gateway: () => import("./bench/gateway.mjs"),
  versions: () => import("./bench/versions.mjs"),
  streams: () => import("./bench/streams.mjs"),
  catalogue: () => import("../bench/catalogue.mjs"),
  batches: () => import("../bench/batches.mjs"),
  "tool-search": () => import("../bench/tool-search.mjs"),
  scale: () => import("../bench/scale.mjs"),
  rules: () => import("../bench/rules.mjs"),
  walk: () => import("../bench/walk.mjs"),
  scanner: () => import("../bench/scanner.mjs"),
  redaction: () => import("../bench/redaction.mjs"),
  dashboard: () => import("../bench/dashboard.mjs"),
  sync: () => import("../bench/sync.mjs"),
  search: () => import("../bench/search.mjs"),
  "search-speed": () => import("../bench/search-speed.mjs"),
};

const USAGE = `Usage: npm run bench [-- NAME …] [OPTIONS]

Benchmarks: ${Object.keys(BENCHMARKS).join(", ")}; all of them without a name.

  --json            the figures instead of tables
  --check           end with 1 when a bar of gateway, streams or redaction is missed; versions, catalogue, batches, scale, rules, walk,
                    dashboard, sync, search and search-speed always do; tool-search and scanner have none
  --urgent          as root: ask the kernel to prefer the benchmark's processes while calls are made, for a look on a busy machine

of gateway:
  --quick           a short look, about two minutes
  --rounds N        instead of 10
  --only NAME,…     some of direct, relay, sdk, toolkeep, mcp-hub, mcp-proxy, supergateway
  --parts NAME,…    some of calls, memory, starts
  --profile FOLDER  the daemon of the calls writes a CPU profile there; read it with node scripts/bench/profile.mjs

of versions (left out where no checkout is named):
  --against FOLDER  another built checkout of Toolkeep
  --rounds N        instead of 30

of streams:
  --minutes N       instead of 5

of tool-search:
  --data DIR        another set than the public ones: a folder with tools.jsonl and queries.jsonl

of sync:
  --files N         instead of 10000; bars count for those only
  --without-meaning do not end with 1 where there is no model, and so nothing is embedded meanwhile

of walk:
  --files N         instead of 10000

of redaction:
  --rounds N        instead of 60
  --against DIST    another build's dist folder, measured in the same rounds

of search:
  --data DIR        another set than the public ones: a folder with docs.jsonl, queries.jsonl and qrels.tsv
  --postgres        with the index on PostgreSQL
  --without-meaning do not end with 1 where there is no model, and so no hybrid

of search-speed:
  --chunks N        instead of 100000
  --postgres        with the index on PostgreSQL

of scale:
  --tools N,…       other sizes than 1000, 10000 and 100000

of dashboard:
  --records N       instead of 100000`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    check: { type: "boolean" },
    quick: { type: "boolean" },
    rounds: { type: "string" },
    only: { type: "string" },
    parts: { type: "string" },
    profile: { type: "string" },
    urgent: { type: "boolean" },
    minutes: { type: "string" },
    data: { type: "string" },
    tools: { type: "string" },
    records: { type: "string" },
    files: { type: "string" },
    against: { type: "string" },
    chunks: { type: "string" },
    postgres: { type: "boolean" },
    "without-meaning": { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

const unknown = positionals.filter((name) => !(name in BENCHMARKS));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`No benchmark is named ${unknown.join(", ")}.\n`);
  console.log(USAGE);
  process.exit(unknown.length > 0 ? 2 : 0);
}

chdir(fileURLToPath(new URL("..", import.meta.url)));
if (existsSync("node_modules/typescript")) run(process.execPath, ["scripts/build.mjs"]);

const results = {};
for (const name of positionals.length > 0 ? positionals : everyBenchmark()) {
  const { bench, toMarkdown, missed } = await BENCHMARKS[name]();
  results[name] = await bench(values);
  if (!values.json) console.log(toMarkdown(results[name]));
  for (const bar of missed?.(results[name], values) ?? []) {
    console.error(`${name}: ${bar}`);
    process.exitCode = 1;
  }
}
if (values.json) console.log(JSON.stringify(results, null, 2));

/** `versions` needs somebody to say what to compare with. */
function everyBenchmark() {
  return Object.keys(BENCHMARKS).filter((name) => name !== "versions");
}
