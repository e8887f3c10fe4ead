// What tool_search takes with 1,000, 10,000 and 100,000 tools, beside minisearch with the same texts in the same fields, each size in processes of its own.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { installed } from "../scripts/installed.mjs";
import { CHANGING_TOOLS, provenance, writeServers } from "./support/many-tools.mjs";
import { machine } from "./support/measure.mjs";

const CACHE = process.env.TOOLKEEP_BENCH_DIR ?? join(tmpdir(), "toolkeep-bench-peers");
const MINISEARCH = "minisearch@7.2.0";
const SIZES = [1_000, 10_000, 100_000];
const RUN_MS = 900_000;

/** What a search, a build and an update may take of minisearch's search and build and of our own build, at 10,000 tools; and 100,000 in memory. */
const BARS = { search: 1 / 20, dense: 1 / 4, build: 1.5, update: 1 / 30, totalMb: 600 };

export async function bench({ tools }) {
  const sizes = tools === undefined ? SIZES : tools.split(",").map(Number);
  const peer = await installed(MINISEARCH, CACHE);
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-scale-"));
  try {
    const rows = [];
    for (const size of sizes) {
      const file = join(folder, "servers.jsonl");
      writeServers(file, size - CHANGING_TOOLS);
      const figures = await run(["--max-old-space-size=8192", here("support/scale-run.mjs"), file, peer]);
      rows.push({ ...figures, memory: await run(["--expose-gc", here("support/scale-memory.mjs"), file]) });
    }
    return { machine: machine(), tools: provenance(), peer: MINISEARCH, rows: rows.map(withRatios) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bars of the acceptance list that a result misses, in words. */
export function missed({ rows }) {
  const atTenThousand = rows.find(({ size }) => size === 10_000);
  const largest = rows.find(({ size }) => size === 100_000);
  const over = Object.entries(atTenThousand?.ratios ?? {})
    .filter(([name, ratio]) => ratio > BARS[name])
    .map(([name, ratio]) => `${name} took ${shareOf(ratio)}, more than ${shareOf(BARS[name])}`);
  const total = largest?.memory.totalMb ?? 0;
  return total > BARS.totalMb ? [...over, `100,000 tools took ${total.toFixed(0)} MB`] : over;
}

export function toMarkdown({ machine, tools, peer, rows }) {
  const table = (heads, cellsOf) => [
    `| ${["tools", ...heads].join(" | ")} |`,
    `|${"---|".repeat(heads.length + 1)}`,
    ...rows.map((row) => `| ${[row.size.toLocaleString("en"), ...cellsOf(row)].join(" | ")} |`),
    "",
  ];
  return [
    "## Scale",
    "",
    `${machine}. ${tools[0].toUpperCase()}${tools.slice(1)}; against ${peer} with its defaults. What a query means is worked out before.`,
    "",
    ...table(
      [
        "minisearch p50",
        "by words p50",
        "p95",
        "of minisearch's (at most 1/20)",
        "by words and meaning p50",
        "of minisearch's (at most 1/4)",
        "by words among half of them p50",
      ],
      ({ own, part, dense, minisearch, ratios }) => [
        ms(minisearch.p50),
        ms(own.p50),
        ms(own.p95),
        shareOf(ratios.search),
        ms(dense.p50),
        shareOf(ratios.dense),
        ms(part.p50),
      ],
    ),
    ...table(
      ["build", "minisearch's", "ratio (at most 1.5)", "a server of 10 changes", "of a build (at most 1/30)"],
      ({ build, update, ratios }) => [
        ms(build.ownMs),
        ms(build.minisearchMs),
        ratios.build.toFixed(2),
        ms(update.searchMs),
        shareOf(ratios.update),
      ],
    ),
    ...table(
      [
        "others wait during a build, median",
        "longest",
        "a search among 100 meanwhile",
        "query of 10 kB",
        "of one character",
        "with a typo",
      ],
      ({ during, odd }) => [
        ms(during.waitMs),
        ms(during.longestWaitMs),
        ms(during.searchMs),
        ms(odd.pageMs),
        ms(odd.characterMs),
        ms(odd.typoMs),
      ],
    ),
    ...table(
      [
        "first list after a change",
        "of each further agent",
        "nearest name",
        "RSS: tools",
        "index",
        "both (at most 600 MB)",
        "vectors",
      ],
      ({ catalogue, memory }) => [
        ms(catalogue.firstListMs),
        ms(catalogue.listMs),
        ms(catalogue.nearestMs),
        `${memory.toolsMb.toFixed(0)} MB`,
        `${memory.indexMb.toFixed(0)} MB`,
        `${memory.totalMb.toFixed(0)} MB`,
        `${memory.vectorsMb.toFixed(0)} MB`,
      ],
    ),
  ].join("\n");
}

function withRatios(row) {
  const { own, dense, minisearch, build, update } = row;
  return {
    ...row,
    ratios: {
      search: own.p50 / minisearch.p50,
      dense: dense.p50 / minisearch.p50,
      build: build.ownMs / build.minisearchMs,
      update: update.searchMs / build.ownMs,
    },
  };
}

async function run(args) {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    timeout: RUN_MS,
    maxBuffer: 2 ** 20,
  });
  return JSON.parse(stdout);
}

function here(file) {
  return fileURLToPath(new URL(file, import.meta.url));
}

function ms(time) {
  return `${time < 1 ? time.toFixed(2) : time < 10 ? time.toFixed(1) : time.toFixed(0)} ms`;
}

function shareOf(ratio) {
  return ratio < 0.5 ? `1/${Math.floor(1 / ratio)}` : ratio.toFixed(2);
}
