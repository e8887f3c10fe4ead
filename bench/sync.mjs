// `npm run bench -- sync`: 10,000 generated files synced, synced again unchanged, and what a trivial call of a tool takes meanwhile.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createHub } from "../dist/index.js";
import { createSync } from "../dist/knowledge/sync/create-sync.js";
import { randomId } from "../dist/lib/id.js";
import { silentLog } from "../dist/lib/log.js";
import { machine, median, percentile } from "./support/measure.mjs";

const FILES = 10_000;
const ROUNDS = 5;
const IDLE_CALLS = 400;
const PAUSE_MS = 5;
/** An unchanged sync of the first one; a call while syncing of one while nothing happens. */
const MOST_SHARE = 1 / 20;
const MOST_TIMES = 2;
const ACCESS = { labels: null };

export async function bench() {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-bench-sync-"));
  const home = join(folder, "home");
  const hub = await createHub({ home, settings: { log_level: "silent", default_rules: false } });
  const sync = createSync({
    ...{ home, databaseUrl: null, store: hub.store, newId: randomId, clock: Date.now, log: silentLog },
  });
  try {
    const bytes = await writeFiles(folder);
    for (let round = 0; round < ROUNDS; round++)
      await sync.addSource({
        name: `part${round}`,
        kind: "folder",
        config: { path: join(folder, `part${round}`) },
      });
    const caller = hub.identity.operator("bench");
    const call = () => hub.callTool({ name: "think", arguments: { thought: "so" }, caller, via: "library" });
    for (let warm = 0; warm < 500; warm++) await call();
    // The threads have started before anything is timed.
    await sync.test("folder", { path: join(folder, "part0") });

    const rounds = [];
    let firstMs = 0;
    let chunks = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await paced(call, (done) => done >= IDLE_CALLS);
      let report;
      const began = performance.now();
      const running = sync.sync({ source: `part${round}`, access: ACCESS }).then((outcome) => {
        [report] = outcome.sources;
        firstMs += performance.now() - began;
      });
      const busy = await paced(call, () => report !== undefined);
      await running;
      if (!report.ok || report.added !== FILES / ROUNDS) throw new Error(JSON.stringify(report));
      chunks += report.chunks;
      const [idleMs, busyMs] = [percentile(idle, 0.95), percentile(busy, 0.95)];
      rounds.push({
        idleMs,
        busyMs,
        times: busyMs / idleMs,
        longestMs: Math.max(...busy),
        calls: busy.length,
      });
    }
    const again = [];
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      const { sources } = await sync.sync({ access: ACCESS });
      again.push(performance.now() - began);
      if (sources.some(({ unchanged }) => unchanged !== FILES / ROUNDS)) throw new Error("something changed");
    }
    return { machine: machine(), files: FILES, bytes, chunks, firstMs, againMs: median(again), rounds };
  } finally {
    await sync.close();
    await hub.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export function toMarkdown({ machine: where, files, bytes, chunks, firstMs, againMs, rounds }) {
  const middle = (name) => median(rounds.map((round) => round[name]));
  return `${where}

| ${files} files, ${(bytes / 1e6).toFixed(0)} MB, ${chunks} passages | |
|---|---|
| first sync | ${(firstMs / 1_000).toFixed(1)} s, ${Math.round(files / (firstMs / 1_000))} files a second |
| again, nothing changed | ${(againMs / 1_000).toFixed(2)} s, 1/${(firstMs / againMs).toFixed(0)} of the first |
| p95 of a trivial call, idle | ${middle("idleMs").toFixed(3)} ms |
| p95 of a trivial call, while syncing | ${middle("busyMs").toFixed(3)} ms, ${middle("times").toFixed(2)} times (median of ${rounds.length} rounds) |
| longest call while syncing | ${middle("longestMs").toFixed(1)} ms (median of ${rounds.length} rounds) |
`;
}

export function missed({ firstMs, againMs, rounds }) {
  const times = median(rounds.map((round) => round.times));
  return [
    ...(againMs > firstMs * MOST_SHARE
      ? [`an unchanged sync took 1/${(firstMs / againMs).toFixed(0)} of the first, not 1/20`]
      : []),
    ...(times > MOST_TIMES
      ? [`a call took ${times.toFixed(2)} times as long while syncing, not at most twice`]
      : []),
  ];
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

const WORDS =
  "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will more no if out so said what up its about into than them can only other new some could time these two may then do first any my now such like our over man me even most made after also did many before must through years where much your way well down should because each just those people too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three".split(
    " ",
  );

/** Notes with front matter, headings, paragraphs, lists and code, of words as frequent as in English; always the same ones. */
async function writeFiles(folder) {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const word = () =>
    random() < 0.8
      ? WORDS[Math.floor(random() ** 2 * WORDS.length)]
      : `w${Math.floor(random() ** 3 * 40_000)}`;
  const sentence = () => `${Array.from({ length: 8 + Math.floor(random() * 14) }, word).join(" ")}.`;
  const paragraph = () => Array.from({ length: 2 + Math.floor(random() * 4) }, sentence).join(" ");
  let bytes = 0;
  for (let number = 0; number < FILES; number++) {
    const sections = Array.from(
      { length: 1 + Math.floor(random() * 5) },
      (_, at) =>
        `## ${word()} ${at}\n\n${paragraph()}\n\n- ${sentence()}\n- ${sentence()}\n\n${paragraph()}\n`,
    );
    const text = `---\ntitle: ${word()} ${number}\ntags:\n  - ${word()}\n  - ${word()}\ndate: 2025-0${1 + (number % 9)}-11\n---\n\n# ${word()} ${number}\n\n${sections.join("\n")}`;
    const path = join(folder, `part${number % ROUNDS}`, `folder${number % 97}`, `note-${number}.md`);
    if (number < 97 * ROUNDS) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    bytes += text.length;
  }
  return bytes;
}
