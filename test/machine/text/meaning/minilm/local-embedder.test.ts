import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../../../src/lib/log.ts";
import { cosine } from "../../../../../src/machine/text/meaning/direction.ts";
import type { Vector } from "../../../../../src/machine/text/meaning/embedder.ts";
import { LocalEmbedder } from "../../../../../src/machine/text/meaning/minilm/local-embedder.ts";
import { MODEL } from "../../../../../src/machine/text/meaning/minilm/minilm.ts";
import { inDeep } from "../../../../support/length.ts";
import { MINILM_WORKER, testMinilm } from "../../../../support/minilm.ts";
import { tempHome } from "../../../../support/temp-home.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

/** An embedder whose thread runs this, and what it logged. */
function embedderOf(code: string, more: { idleMs?: number; hungMs?: number } = {}) {
  const worker = new URL(`data:text/javascript,${encodeURIComponent(IMPORTS + code)}`);
  const logged: object[] = [];
  const log = { ...silentLog, info: (fields: object) => logged.push(fields) };
  return { logged, embedder: new LocalEmbedder({ folder: "/none", log, worker, ...more }) };
}
const IMPORTS = 'import { parentPort as port } from "node:worker_threads";';
/** Answers with the first character of each text and a number of its own. */
const ECHO = `
  const own = Math.floor(Math.random() * 100);
  port.on("message", (message) => {
    if (message === "end") return port.close();
    port.postMessage({ id: message.id, value: message.args[0].map((text) => Int8Array.of(text.charCodeAt(0), own)) });
  });
  port.postMessage({ notice: { ready: true } });`;
const letters = (vectors: readonly Vector[] | undefined) =>
  vectors?.map(([code]) => String.fromCharCode(code!)).join("");

describe("the thread of the embedder", () => {
  it("answers in the order of the texts, and those first who wait", async () => {
    const { embedder } = embedderOf(ECHO);
    const ended: string[] = [];
    const note = async (name: string, work: Promise<readonly Vector[] | undefined>) => {
      expect(letters(await work)).toBe(name);
      ended.push(name);
    };
    await Promise.all([
      note("abcdefghij", embedder.embed([..."abcdefghij"])),
      note("klmnopqrst", embedder.embed([..."klmnopqrst"])),
      note("u", embedder.embed(["u"], { urgent: true })),
    ]);
    expect(ended).toEqual(["u", "abcdefghij", "klmnopqrst"]);
    expect(embedder.state).toEqual({ kind: "resting" });
    await embedder.close();
  });

  it("takes no more than it can hold", async () => {
    const { embedder } = embedderOf(ECHO);
    const urgent = Array.from({ length: 100 }, () => embedder.embed(["a"], { urgent: true }));
    expect(await embedder.embed(Array.from({ length: 100_000 }, () => "a"))).toBeUndefined();
    const answered = (await Promise.all(urgent)).filter((vectors) => vectors !== undefined);
    expect(answered.length).toBeGreaterThan(50);
    expect(answered.length).toBeLessThan(100);
    await embedder.close();
  });

  it("is gone for good, and says why once, where its packages are missing", async () => {
    const { embedder, logged } = embedderOf(
      'port.postMessage({ notice: { ready: false, reason: "no such package" } }); port.close();',
    );
    const answers = await Promise.all([embedder.embed(["a"]), embedder.embed(["b"], { urgent: true })]);
    expect(answers).toEqual([undefined, undefined]);
    expect(await embedder.embed(["c"])).toBeUndefined();
    expect(embedder.state).toEqual({ kind: "unavailable", reason: "no such package" });
    expect(logged).toEqual([{ reason: "no such package" }]);
    await embedder.close();
  });

  it("is started anew after a crash: what crashed it is given up, what waited is not", async () => {
    const { embedder } = embedderOf(
      `port.on("message", (message) => { if (message.args?.[0][0] === "x") process.exit(3); });${ECHO}`,
    );
    const [crashed, waited] = await Promise.all([embedder.embed(["x"]), embedder.embed(["w"])]);
    expect(crashed).toBeUndefined();
    expect(letters(waited)).toBe("w");
    for (let again = 0; again < 3; again++) await embedder.embed(["x"]);
    expect(embedder.state).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("3") });
    expect(await embedder.embed(["w"])).toBeUndefined();
    await embedder.close();
  });

  inDeep("is given up when it hangs, at once where it did not even begin", async () => {
    // Without a busy loop: it hangs all the same.
    const hang = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";
    const hanging = `port.on("message", () => { ${hang} });`;
    const { embedder } = embedderOf(`${hanging} port.postMessage({ notice: { ready: true } });`, {
      hungMs: 500,
    });
    for (let again = 0; again < 3; again++) expect(await embedder.embed(["a"])).toBeUndefined();
    expect(embedder.state).toEqual({ kind: "unavailable", reason: "it took too long" });
    await embedder.close();

    const { embedder: other } = embedderOf(hang, { hungMs: 50 });
    expect(await other.embed(["a"])).toBeUndefined();
    expect(other.state.kind).toBe("unavailable");
    await other.close();
  });

  it("is not there where its file is not", async () => {
    const worker = new URL("./none.js", import.meta.url);
    const embedder = new LocalEmbedder({ folder: "/none", log: silentLog, worker });
    expect(await embedder.embed(["a"])).toBeUndefined();
    expect(embedder.state).toMatchObject({ kind: "unavailable", reason: expect.stringContaining("none.js") });
    await embedder.close();
  });

  it("ends when there is nothing to do, and another one goes on", async () => {
    const { embedder } = embedderOf(ECHO, { idleMs: 1 });
    const seen = new Set<number>();
    await waitUntil("several threads have answered", async () => {
      seen.add((await embedder.embed(["a"]))![0]![1]!);
      return seen.size > 1;
    });
    await embedder.close();
  });

  inDeep("ends on close, with everything that waited answered", async () => {
    const { embedder, logged } = embedderOf('port.on("message", () => undefined);');
    const waiting = [embedder.embed(["a"]), embedder.embed(["b"])];
    const threads = () =>
      process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker").length;
    const before = threads();
    await embedder.close();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(threads()).toBeLessThanOrEqual(before);
    expect(await embedder.embed(["c"])).toBeUndefined();
    expect(logged).toEqual([]);
  });
});

const model = testMinilm();

describe.skipIf(!model)("the real model", () => {
  let home: Awaited<ReturnType<typeof tempHome>>;
  const open = () => new LocalEmbedder({ folder: home.path, log: silentLog, worker: MINILM_WORKER });
  const file = () => join(home.path, `${MODEL}.onnx`);
  beforeAll(async () => {
    home = await tempHome();
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it("puts what means the same near each other, without a word in common", async () => {
    const embedder = open();
    const tools = [
      "send mail: Deliver a message to a recipient",
      "get forecast: Weather for a city in the next days",
      "create invoice: Bill a customer for goods",
      "translate: Turn a text into another language",
      "find flights: Plane connections between two airports",
    ];
    const queries = [
      "drop my colleague an e-mail",
      "will it rain tomorrow",
      "charge somebody who bought from us",
      "how do I say this in Spanish",
      "travel by air from Rome to Paris",
    ];
    const vectors = (await embedder.embed(tools))!;
    for (const [right, query] of queries.entries()) {
      const [asked] = (await embedder.embed([query], { urgent: true }))!;
      const likeness = vectors.map((vector) => cosine(asked!, vector));
      expect(likeness.indexOf(Math.max(...likeness)), query).toBe(right);
    }
    await embedder.close();
  });

  it("gives a text the vector that the authors of the model publish, rounded, whatever comes with it", async () => {
    const embedder = open();
    const text = "This is an example sentence";
    const [alone] = (await embedder.embed([text]))!;
    const [, among] = (await embedder.embed(["Each sentence is converted", text, "x ".repeat(10_000)]))!;
    expect(among).toEqual(alone);
    const length = Math.hypot(...alone!);
    const published = [0.0677, 0.0635, 0.0487, 0.0793, 0.0374];
    // Processors round the quantised model differently: 0.009 on one, 0.011 on another.
    for (const [at, value] of published.entries())
      expect(Math.abs(alone![at]! / length - value)).toBeLessThan(0.02);
    await embedder.close();
  });

  inDeep("is built once and kept; a damaged file is built anew", async () => {
    const first = open();
    const [before] = (await first.embed(["anything"]))!;
    await first.close();
    const kept = await readFile(file());
    const damaged = Buffer.from(kept);
    damaged.fill(0x7f, 1_000_000, 1_001_000);
    await writeFile(file(), damaged);
    const second = open();
    expect((await second.embed(["anything"]))![0]).toEqual(before);
    await second.close();
    expect((await readFile(file())).equals(kept)).toBe(true);
  });
});
