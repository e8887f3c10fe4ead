// `npm run bench -- walk`: what 20 path rules add to a `grep` over 10,000 files, in CPU, with and without them in turn.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHub, loadSettings } from "../dist/index.js";
import { median } from "./support/measure.mjs";

const PARTS = 10;
const FILES_IN_FOLDER = 100;
const RULES = 20;
const ROUNDS = 3;
/** With rules, times without. */
const MOST_TIMES = 1.5;

export async function bench({ files: wanted = "10000" } = {}) {
  const folders = Math.ceil(Number(wanted) / FILES_IN_FOLDER);
  const base = await mkdtemp(join(tmpdir(), "toolkeep-walk-"));
  const hubs = [];
  try {
    const files = join(base, "files");
    await writeTree(files, folders);
    const plain = await openHub(join(base, "plain"), files, [], hubs);
    const ruled = await openHub(join(base, "ruled"), files, rules(files), hubs);
    // The first of each compiles what it needs.
    const [without, withRules] = [await plain(), await ruled()];
    if (!withRules.text.includes("left out by rules")) throw new Error("the rules left nothing out");
    if (without.text.includes("left out by rules")) throw new Error("something was left out without rules");
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second] = round % 2 === 0 ? [plain, ruled] : [ruled, plain];
      const costs = new Map([[first, (await first()).cpuMs]]);
      costs.set(second, (await second()).cpuMs);
      rounds.push({ plainMs: costs.get(plain), ruledMs: costs.get(ruled) });
    }
    const times = median(rounds.map(({ plainMs, ruledMs }) => ruledMs / plainMs));
    return {
      files: folders * FILES_IN_FOLDER,
      rules: RULES,
      times,
      plainMs: Math.min(...rounds.map(({ plainMs }) => plainMs)),
      ruledMs: Math.min(...rounds.map(({ ruledMs }) => ruledMs)),
    };
  } finally {
    for (const hub of hubs) await hub.close();
    await rm(base, { recursive: true, force: true });
  }
}

export function toMarkdown({ files, rules, times, plainMs, ruledMs }) {
  return [
    `| \`grep\` over ${files.toLocaleString("en")} files | CPU |`,
    "|---|---|",
    `| without rules | ${plainMs.toFixed(0)} ms |`,
    `| with ${rules} path rules | ${ruledMs.toFixed(0)} ms |`,
    `| times | ${times.toFixed(2)} (median of ${ROUNDS} rounds, in turn) |`,
    "",
  ].join("\n");
}

export function missed({ times }) {
  return times > MOST_TIMES
    ? [`a grep with rules costs ${times.toFixed(2)} times one without, more than ${MOST_TIMES}`]
    : [];
}

async function writeTree(root, folders) {
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, `folder-${folder % PARTS}`, `part-${folder}`);
    await mkdir(path, { recursive: true });
    for (let file = 0; file < FILES_IN_FOLDER; file++)
      await writeFile(join(path, `file-${file}.ts`), `export const value = ${file};\n`.repeat(20));
  }
}

/** Of every kind of glob; most are tried on every file, few leave anything out, so that both walks read about the same. */
function rules(root) {
  return Array.from({ length: RULES }, (_, index) => {
    const path = [
      `**/secret-${index}.pem`,
      `${root}/folder-${index % PARTS}/part-${index}/file-${index}.ts`,
      `**/private-${index}/**`,
      `${root}/*/vault-${index}/**`,
      `~/projects/*/key-${index}`,
    ][index % 5];
    const action = ["deny", "ask", "deny", "allow", "deny"][index % 5];
    const final = action === "deny" && index % 2 === 0 ? { final: true } : {};
    return { permission: ["fs.read", "grep", "*"][index % 3], pattern: { path }, action, ...final };
  });
}

/** Calls of `grep` by an agent that may read the files, and its CPU, threads included. */
async function openHub(home, files, rules, hubs) {
  await mkdir(home, { recursive: true });
  const settings = { log_level: "silent", default_rules: false, rules };
  await writeFile(join(home, "config.json"), JSON.stringify(settings));
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOOLKEEP_HOME: home };
  const loaded = await loadSettings({ cwd: home, env, isTrusted: async () => false });
  const hub = await createHub({ loaded, version: "0.0.0-bench", env });
  hubs.push(hub);
  await hub.identity.createAgent("bench", { folders: [{ path: files, access: "read" }] });
  const given = { tokenId: null, scopes: null, conversation: "bench" };
  const caller = hub.identity.callerFor(hub.identity.agent("bench"), given);
  return async () => {
    const before = process.cpuUsage();
    const texts = [];
    // Folder by folder: a single grep gives up after ten seconds, which a busy machine may take for all.
    for (let part = 0; part < PARTS; part++) {
      const path = join(files, `folder-${part}`);
      if (!existsSync(path)) break;
      const call = { name: "grep", arguments: { pattern: "no such line", path }, caller, via: "library" };
      const { outcome, text } = await hub.callTool(call);
      if (outcome !== "ok" || text.includes("stopped after")) throw new Error(text);
      texts.push(text);
    }
    const { user, system } = process.cpuUsage(before);
    return { text: texts.join("\n"), cpuMs: (user + system) / 1_000 };
  };
}
