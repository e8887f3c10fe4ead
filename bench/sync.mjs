// `npm run bench -- sync`: 10,000 generated files synced, synced again unchanged, what a trivial call of a tool takes meanwhile, with and
// without passages getting their vectors beside it, and whether the memory of a process that syncs grows with what there is to sync.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KnowledgeIndex } from "../dist/features/knowledge/knowledge-index.js";
import { SourceSync } from "../dist/features/knowledge/sync/source-sync.js";
import { createHub } from "../dist/index.js";
import { randomId } from "../dist/lib/id.js";
import { silentLog } from "../dist/lib/log.js";
import { LocalEmbedder } from "../dist/machine/text/meaning/minilm/local-embedder.js";
import { writeMailbox, writeNotes } from "./support/generated-notes.mjs";
import { machine, median, percentile } from "./support/measure.mjs";

const FILES = 10_000;
const ROUNDS = 5;
/** Of the files, as many once more are synced while passages get their vectors. */
const EMBEDDED_SHARE = 1 / 4;
const IDLE_CALLS = 400;
const PAUSE_MS = 5;
/** Of the files and of 100 MB of mail. */
const MEMORY_SHARES = [1 / 5, 4 / 5];
const MAILBOX_BYTES = 125_000_000;
/** An unchanged sync of the first one; a call while syncing of one while nothing happens; memory with four times as much to sync. */
const MOST_SHARE = 1 / 20;
const MOST_TIMES = 2;
const MOST_MEMORY = 1.5;
const ACCESS = { labels: null };

export async function bench({ files: given }) {
  const files = given === undefined ? FILES : Number(given);
  const scratch = await mkdtemp(join(tmpdir(), "toolkeep-bench-sync-"));
  try {
    const synced = await syncedBeside(files, scratch);
    const memory = [];
    for (const share of MEMORY_SHARES) memory.push(await memoryOf(Math.round(files * share), files, scratch));
    return { machine: machine(), files, ...synced, memory };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export function toMarkdown(result) {
  const { machine: where, files, bytes, chunks, firstMs, againMs, rounds, embedded, memory } = result;
  const middle = (of, name) => median(of.map((round) => round[name]));
  const calls = (of) =>
    `${middle(of, "busyMs").toFixed(3)} ms, ${middle(of, "times").toFixed(2)} times (median of ${of.length} rounds), the longest ${middle(of, "longestMs").toFixed(1)} ms`;
  const beside = embedded.rounds
    ? `${calls(embedded.rounds)}; ${embedded.passages} passages got vectors, ${Math.round(embedded.passages / embedded.seconds)} a second`
    : `not measured: ${embedded.withoutMeaning}`;
  const [small, large] = memory;
  const room = ({ files: count, mailMb, mostMb }) =>
    `${mostMb.toFixed(0)} MB with ${count} files and a mailbox of ${mailMb.toFixed(0)} MB`;
  return `${where}

| ${files} files, ${(bytes / 1e6).toFixed(0)} MB, ${chunks} passages | |
|---|---|
| first sync | ${(firstMs / 1_000).toFixed(1)} s, ${Math.round(files / (firstMs / 1_000))} files a second |
| again, nothing changed | ${(againMs / 1_000).toFixed(2)} s, 1/${(firstMs / againMs).toFixed(0)} of the first |
| p95 of a trivial call, idle | ${middle(rounds, "idleMs").toFixed(3)} ms |
| p95 of a trivial call, while syncing | ${calls(rounds)} |
| p95 of a trivial call, while syncing and embedding | ${beside} |
| most memory (RSS) of a process that syncs | ${room(small)}, ${room(large)}: ${(large.mostMb / small.mostMb).toFixed(2)} times |
`;
}

export function missed(result, { "without-meaning": withoutMeaning }) {
  const { files, firstMs, againMs, rounds, embedded, memory } = result;
  const misses = [];
  if (!embedded.rounds && !withoutMeaning)
    misses.push(`nothing could be embedded beside a sync: ${embedded.withoutMeaning}`);
  // Bars are those of the whole size.
  if (files !== FILES) return misses;
  if (againMs > firstMs * MOST_SHARE)
    misses.push(`an unchanged sync took 1/${(firstMs / againMs).toFixed(0)} of the first, not 1/20`);
  for (const [name, of] of [
    ["while syncing", rounds],
    ["while syncing and embedding", embedded.rounds ?? []],
  ]) {
    const times = median(of.map((round) => round.times));
    if (times > MOST_TIMES)
      misses.push(`a call took ${times.toFixed(2)} times as long ${name}, not at most twice`);
  }
  const [small, large] = memory;
  const grown = large.mostMb / small.mostMb;
  if (grown > MOST_MEMORY)
    misses.push(
      `four times as much to sync took ${grown.toFixed(2)} times the memory, not at most ${MOST_MEMORY}`,
    );
  return misses;
}

/** The times of syncs, and of calls beside them. */
async function syncedBeside(files, scratch) {
  const home = join(scratch, "home");
  const plain = Array.from({ length: ROUNDS }, (_, round) => `part${round}`);
  const beside = Array.from({ length: ROUNDS }, (_, round) => `beside${round}`);
  const folderOf = (name) => join(scratch, name);
  const bytes = await writeNotes(files, plain.map(folderOf));
  await writeNotes(files * EMBEDDED_SHARE, beside.map(folderOf), 8);

  const hub = await createHub({ home, settings: { log_level: "silent", default_rules: false } });
  const { store } = hub;
  const place = { home, databaseUrl: null, log: silentLog };
  const sync = new SourceSync({ ...place, store, newId: randomId, clock: Date.now });
  const embedding = backgroundEmbedding(place, store);
  try {
    for (const name of [...plain, ...beside])
      await sync.addSource({ name, kind: "folder", config: { path: folderOf(name) } });
    const caller = hub.identity.operatorCaller("bench");
    const call = () => hub.callTool({ name: "think", arguments: { thought: "so" }, caller, via: "library" });
    for (let warm = 0; warm < 500; warm++) await call();
    // The threads have started, and the model is loaded, before anything is timed.
    await sync.test("folder", { path: folderOf(plain[0]) });
    const withoutMeaning = await embedding.ready();

    const rounds = [];
    const besideRounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await paced(call, (done) => done >= IDLE_CALLS);
      rounds.push(await oneRound(plain[round], idle));
      if (withoutMeaning !== undefined) continue;
      embedding.start();
      besideRounds.push(await oneRound(beside[round], idle));
      await embedding.pause();
    }
    const sum = (name) => rounds.reduce((total, round) => total + round[name], 0);
    const embedded =
      withoutMeaning === undefined ? { rounds: besideRounds, ...embedding.done() } : { withoutMeaning };
    return {
      ...{ bytes, chunks: sum("chunks"), firstMs: sum("syncMs") },
      ...{ againMs: await unchangedAgain(sync, plain), rounds, embedded },
    };

    async function oneRound(source, idle) {
      let report;
      let syncMs = 0;
      const began = performance.now();
      const running = sync.sync({ source, access: ACCESS }).then((outcome) => {
        syncMs = performance.now() - began;
        [report] = outcome.sources;
      });
      const busy = await paced(call, () => report !== undefined);
      await running;
      if (!report.ok || report.failed > 0) throw new Error(JSON.stringify(report));
      const [idleMs, busyMs] = [percentile(idle, 0.95), percentile(busy, 0.95)];
      return {
        ...{ idleMs, busyMs, times: busyMs / idleMs, longestMs: Math.max(...busy), calls: busy.length },
        ...{ syncMs, chunks: report.chunks },
      };
    }
  } finally {
    await embedding.close();
    await sync.close();
    await hub.close();
  }
}

/** Passages get their vectors as in a daemon: by the model of this machine, in its one thread, a few at a time. */
function backgroundEmbedding({ home, ...place }, store) {
  const model = new LocalEmbedder({ folder: join(home, "models"), log: silentLog });
  let isOn = false;
  let began = 0;
  let passages = 0;
  let seconds = 0;
  const embedder = {
    ...{ model: model.model, dimensions: model.dimensions },
    get state() {
      return model.state;
    },
    async embed(texts, options) {
      const vectors = await model.embed(texts, options);
      passages += vectors?.length ?? 0;
      return vectors;
    },
  };
  const knowledge = new KnowledgeIndex({
    ...{ home, ...place, embedder, isMeaningOn: () => isOn },
    sources: () => store.sources.list(),
    lead: (job, work, signal) => store.lead(job, work, signal),
  });
  return {
    /** Undefined: it can be done. */
    async ready() {
      return (await model.embed(["anything"])) ? undefined : (model.state.reason ?? "there is no model");
    },
    start() {
      isOn = true;
      began = performance.now();
      knowledge.embedding.wake();
    },
    async pause() {
      isOn = false;
      await knowledge.embedding.rest();
      seconds += (performance.now() - began) / 1_000;
    },
    done: () => ({ passages, seconds }),
    async close() {
      isOn = false;
      await knowledge.close();
      await model.close();
    },
  };
}

async function unchangedAgain(sync, names) {
  const times = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    for (const source of names) {
      const [{ seen, unchanged }] = (await sync.sync({ source, access: ACCESS })).sources;
      if (seen !== unchanged) throw new Error("something changed");
    }
    times.push(performance.now() - began);
  }
  return median(times);
}

/** In a process of its own, which has synced nothing before. */
async function memoryOf(count, files, scratch) {
  const folder = join(scratch, `memory${count}`);
  const [notes, mailbox] = [join(folder, "notes"), join(folder, "mail.mbox")];
  const mailBytes = (MAILBOX_BYTES * count) / Math.max(files, FILES);
  await writeNotes(count, [notes]);
  await writeMailbox(mailbox, mailBytes);
  const script = fileURLToPath(new URL("support/sync-memory.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    join(folder, "home"),
    notes,
    mailbox,
  ]);
  return { files: count, mailMb: mailBytes / 1e6, ...JSON.parse(stdout) };
}

/** Milliseconds of calls, one every few milliseconds, until enough. */
async function paced(call, isEnough) {
  const times = [];
  while (!isEnough(times.length)) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return times;
}
