import { describe, expect, test } from "vitest";
import type { Log } from "../../../../../src/lib/log.ts";
import { err, ok } from "../../../../../src/lib/result.ts";
import {
  RemoteEmbedder,
  type RemoteEmbedderOptions,
} from "../../../../../src/machine/text/meaning/remote/remote-embedder.ts";
import {
  type AskedFor,
  type EmbeddingServer,
  embeddingServer,
  sendJson,
} from "../../../../support/embedding-server.ts";
import { waitUntil } from "../../../../support/wait-until.ts";

const KEY = "sk-canary-0123456789";
const MAIL = [127, 1, 1, 1, 1, 1, 1, 1];
const CAR = [1, 127, 1, 1, 1, 1, 1, 1];

function embedderAt(server: EmbeddingServer, change: Partial<RemoteEmbedderOptions> = {}) {
  let now = 0;
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const embedder = new RemoteEmbedder({
    ...{ kind: "ollama", url: server.url, model: "tiny", dimensions: null, key: async () => ok(KEY) },
    ...{ clock: () => now, log, pauseMs: 1, restMs: 1_000 },
    ...change,
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { embedder, lines, pass, [Symbol.asyncDispose]: () => embedder.close() };
}

const listsOf = (vectors: readonly Int8Array[] | undefined) => vectors?.map((vector) => [...vector]);
const status = (code: number, headers = {}): EmbeddingServer["instead"][number] =>
  function refuse(response) {
    response.writeHead(code, headers).end(`the key ${KEY} is wrong`);
  };

describe("vectors of an endpoint", () => {
  test.each([
    { kind: "openai", base: "/v1/", path: "/v1/embeddings" },
    { kind: "ollama", base: "", path: "/api/embed" },
  ] as const)("come in the order of the texts: $kind", async ({ kind, base, path }) => {
    await using server = await embeddingServer(["mail", "car"]);
    await using t = embedderAt(server, { kind, url: server.url + base });
    expect([t.embedder.model, t.embedder.dimensions]).toEqual([`${kind}:tiny`, 0]);
    expect(listsOf(await t.embedder.embed(["a car", "mail", "my car"]))).toEqual([CAR, MAIL, CAR]);
    expect(t.embedder.dimensions).toBe(8);
    expect(server.asked).toEqual([
      { path, authorization: `Bearer ${KEY}`, model: "tiny", input: ["a car", "mail", "my car"] },
    ]);
  });

  test("are asked for in pieces that are read in a moment", async () => {
    await using server = await embeddingServer(["mail", "car"], 1_024);
    await using t = embedderAt(server);
    const texts = Array.from({ length: 30 }, (_, at) => (at % 3 ? "mail" : "car"));
    await t.embedder.embed(["first"]);
    const vectors = await t.embedder.embed(texts);
    expect(vectors!.map((vector) => (vector[0] === 127 ? "mail" : "car"))).toEqual(texts);
    expect(server.asked.map(({ input }) => input.length)).toEqual([1, 12, 12, 6]);
  });

  test("have the stated dimensions, which are part of the model's name", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server, { dimensions: 16 });
    expect([t.embedder.model, t.embedder.dimensions]).toEqual(["ollama:tiny:16", 16]);
    expect((await t.embedder.embed(["mail"]))![0]).toHaveLength(16);
    expect(server.asked[0]).toMatchObject({ dimensions: 16 });
  });

  test("that somebody waits for come before those of the background, also of one under way", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.held = ({ input }) => (input.includes("now") ? Promise.resolve() : held);
    const background = t.embedder.embed(Array.from({ length: 20 }, () => "later"));
    await waitUntil("it is under way", () => server.asked.length === 1);
    expect(t.embedder.state).toEqual({ kind: "working" });
    expect(await t.embedder.embed(["now"], { urgent: true })).toHaveLength(1);
    release();
    expect(await background).toHaveLength(20);
  });

  test("are not asked for without end: more than it can hold is refused at once", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    expect(await t.embedder.embed(Array<string>(100_000).fill("x"))).toBeUndefined();
    expect(await t.embedder.embed(Array<string>(600).fill("x"), { urgent: true })).toBeUndefined();
    expect(server.asked).toEqual([]);
  });

  test("need no key where there is none, and texts of whole characters", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server, { key: async () => ok(null) });
    await t.embedder.embed([`${"x".repeat(8_191)}😀`, ""]);
    const [{ authorization, input }] = server.asked as [AskedFor];
    expect([authorization, input[0]!.length, input[1]]).toEqual([undefined, 8_191, " "]);
  });
});

describe("an endpoint that fails", () => {
  test.each([429, 500, 503])("with %i is asked again after a pause", async (code) => {
    await using server = await embeddingServer(["mail", "car"]);
    await using t = embedderAt(server);
    server.instead.push(status(code, { "retry-after": "0" }), status(code));
    expect(listsOf(await t.embedder.embed(["mail"]))).toEqual([MAIL]);
    expect(server.asked).toHaveLength(3);
    expect(t.lines).toEqual([]);
  });

  test("again and again is left alone, longer each time, and then asked again", async () => {
    await using server = await embeddingServer(["mail", "car"]);
    await using t = embedderAt(server);
    server.instead.push(...Array.from({ length: 4 }, () => status(500)));
    const both = [t.embedder.embed(["mail"]), t.embedder.embed(["car"])];
    expect(await Promise.all(both)).toEqual([undefined, undefined]);
    const reason = expect.stringMatching(/^127\.0\.0\.1:\d+ answered 500$/);
    expect(t.embedder.state).toEqual({ kind: "unavailable", reason, isForNow: true });
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(server.asked).toHaveLength(3);

    t.pass(1_000);
    expect(t.embedder.state).toEqual({ kind: "resting" });
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(server.asked).toHaveLength(4);
    t.pass(1_999);
    expect(t.embedder.state.kind).toBe("unavailable");
    t.pass(1);
    expect(listsOf(await t.embedder.embed(["mail"]))).toEqual([MAIL]);
    expect(t.embedder.state).toEqual({ kind: "resting" });
    expect(t.lines.map((line) => JSON.parse(line).message)).toEqual([
      "texts are compared by their words for now: no embedder",
      "the embedder answers again",
    ]);
  });

  test("and says for how long is left alone that long", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    server.instead.push(status(429, { "retry-after": "60" }));
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    t.pass(59_999);
    expect(t.embedder.state).toMatchObject({ kind: "unavailable", isForNow: true });
    t.pass(1);
    expect(await t.embedder.embed(["mail"])).toHaveLength(1);
  });

  test("for good is not asked again at once, and neither its words nor the key are told", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    server.instead.push(status(401));
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(server.asked).toHaveLength(1);
    expect(t.embedder.state).toMatchObject({ reason: expect.stringContaining("embeddings.api_key") });
    expect(JSON.stringify([t.embedder.state, t.lines])).not.toContain("canary");
  });

  test("because a text is too long gets it shorter", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    server.instead.push(status(400), status(413));
    expect(await t.embedder.embed(["x".repeat(9_000)])).toHaveLength(1);
    expect(server.asked.map(({ input }) => input[0]!.length)).toEqual([8_192, 2_048, 512]);
  });

  test("to answer in time, or to be there at all, is a failure like others", async () => {
    await using server = await embeddingServer(["mail"]);
    await using slow = embedderAt(server, { timeoutMs: 50 });
    server.instead.push(
      () => {},
      () => {},
      (response) => void response.writeHead(200).write("{"),
    );
    expect(await slow.embedder.embed(["mail"])).toBeUndefined();
    expect(slow.embedder.state).toMatchObject({ reason: expect.stringContaining("within 0.05 s") });
    await server[Symbol.asyncDispose]();
    await using gone = embedderAt(server);
    expect(await gone.embedder.embed(["mail"], { urgent: true })).toBeUndefined();
    expect(gone.embedder.state).toEqual({ kind: "resting" });
    expect(await gone.embedder.embed(["mail"])).toBeUndefined();
    expect(gone.embedder.state).toMatchObject({ reason: expect.stringContaining("cannot be reached") });
  });

  test.each([
    ["too few", { embeddings: [] }, "gave 0 vectors for 1 texts"],
    ["too many", { embeddings: [[1], [1]] }, "gave 2 vectors for 1 texts"],
    ["texts", { embeddings: [["1", "2"]] }, "no vector"],
    ["what is no finite number", { embeddings: [[1, null]] }, "no vector"],
    ["numbers too large", { embeddings: [[1, 1e300]] }, "no vector"],
    ["nothing in them", { embeddings: [[]] }, "no vector"],
    ["too many dimensions", { embeddings: [Array(4_097).fill(1)] }, "no vector"],
    ["another shape", { data: [{ embedding: [1] }] }, "did not answer with embeddings"],
    ["no object", "hello", "did not answer with embeddings"],
    ["too many bytes", "x".repeat(9_000_000), "more than 8388608 bytes"],
  ])("with wrong answers, %s, is no endpoint", async (_, answer, why) => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    const wrong: EmbeddingServer["instead"][number] = (response) => sendJson(response, answer);
    server.instead.push(wrong, wrong, wrong);
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(t.embedder.state).toMatchObject({ kind: "unavailable", reason: expect.stringContaining(why) });
    t.pass(1_000);
    expect(await t.embedder.embed(["mail"])).toHaveLength(1);
  });

  test.each([
    [
      "twice the same index",
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      "one that nobody asked for",
      [
        { index: 0, embedding: [1] },
        { index: 7, embedding: [1] },
      ],
    ],
    ["vectors of different lengths", [{ embedding: [1] }, { embedding: [1, 2] }]],
  ])("with %s in OpenAI's shape is none either", async (_, data) => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server, { kind: "openai", url: `${server.url}/v1` });
    server.instead.push((response) => sendJson(response, { data }));
    expect(await t.embedder.embed(["a", "b"], { urgent: true })).toBeUndefined();
    expect(t.embedder.dimensions).toBe(0);
  });

  test("to keep to its dimensions has another model, whose vectors are not taken", async () => {
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    await t.embedder.embed(["mail"]);
    const other: EmbeddingServer["instead"][number] = (response) =>
      sendJson(response, { embeddings: [[1, 2, 3]] });
    server.instead.push(other, other, other);
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(t.embedder.state).toMatchObject({ reason: expect.stringContaining("another model") });
  });

  test("to stay where it is, is not followed with its key", async () => {
    await using elsewhere = await embeddingServer(["mail"]);
    await using server = await embeddingServer(["mail"]);
    await using t = embedderAt(server);
    const away = status(307, { location: `${elsewhere.url}/api/embed` });
    server.instead.push(away, away, away);
    expect(await t.embedder.embed(["mail"])).toBeUndefined();
    expect(elsewhere.asked).toEqual([]);
  });
});

describe("a key", () => {
  test("that is missing or cannot be sent is said, and nothing is asked", async () => {
    await using server = await embeddingServer(["mail"]);
    await using missing = embedderAt(server, { key: async () => err("there is no secret EMBED") });
    expect(await missing.embedder.embed(["mail"])).toBeUndefined();
    expect(missing.embedder.state).toMatchObject({ reason: "there is no secret EMBED" });
    await using odd = embedderAt(server, { key: async () => ok("sk-canary\nx: y") });
    expect(await odd.embedder.embed(["mail"])).toBeUndefined();
    expect(JSON.stringify([odd.embedder.state, odd.lines])).not.toContain("canary");
    expect(server.asked).toEqual([]);
  });
});

test("closing ends what is under way and what waits", async () => {
  await using server = await embeddingServer(["mail"]);
  await using t = embedderAt(server);
  server.held = () => new Promise(() => {});
  const asked = [t.embedder.embed(Array<string>(20).fill("x")), t.embedder.embed(["y"], { urgent: true })];
  await waitUntil("both are under way", () => server.asked.length === 2);
  await t.embedder.close();
  expect(await Promise.all(asked)).toEqual([undefined, undefined]);
  expect(t.embedder.state).toEqual({ kind: "unavailable", reason: "it was closed" });
  expect(await t.embedder.embed(["z"])).toBeUndefined();
});
