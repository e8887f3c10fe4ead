import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type QuestionRequest, questionDigest } from "../../../src/call/questions/question-request.ts";
import { MAX_PENDING, Questions, type QuestionsDeps } from "../../../src/call/questions/questions.ts";
import { type EventName, Events } from "../../../src/contract/events.ts";
import { openHomeStore as openStore } from "../../../src/features.ts";
import { randomId } from "../../../src/lib/id.ts";
import type { Store } from "../../../src/machine/db/store.ts";
import { stopwatch } from "../../support/stopwatch.ts";
import { tempHome } from "../../support/temp-home.ts";
import { trustStores } from "../../support/trust-stores.ts";
import { waitUntil } from "../../support/wait-until.ts";

const EXPIRE_MS = 60_000;
const LONG = { waitMs: 30_000 };
const NOW = { waitMs: 0 };

let home: Awaited<ReturnType<typeof tempHome>>;
let store: Store;
let questions: Questions;
let now: number;
let secrets: Map<string, string>;
let heard: EventName[];

beforeEach(async () => {
  home = await tempHome();
  now = 1_000_000;
  secrets = new Map();
  heard = [];
  store = await openStore({ home: home.path, databaseUrl: null, clock: () => now });
  questions = openOverStore();
});
afterEach(async () => {
  questions.close();
  await store.close();
  await home[Symbol.asyncDispose]();
});

/** As another process over the same store would have them. */
function openOverStore(change: Partial<QuestionsDeps> = {}): Questions {
  const events = new Events((error) => {
    throw error;
  });
  for (const name of ["question.asked", "question.answered", "question.dismissed"] as const) {
    events.on(name, () => heard.push(name));
  }
  return new Questions({
    store: trustStores(store).questions,
    keepSecret: async (name, value) => void secrets.set(name, value),
    grantTool: async () => {},
    events,
    clock: () => now,
    newId: randomId,
    expireMs: () => EXPIRE_MS,
    pollMs: 50,
    ...change,
  });
}

function asking(change: Partial<QuestionRequest> & { about?: string } = {}): QuestionRequest {
  const { about = "something", ...rest } = change;
  const agentId = rest.agentId ?? "agt_1";
  const digest = questionDigest(agentId, "prompt_human", { about });
  return { kind: "human", agentId, agentName: "tester", digest, prompt: about, details: {}, ...rest };
}

async function askedId(change: Parameters<typeof asking>[0] = {}): Promise<string> {
  const answer = await questions.ask(asking(change), NOW);
  if (answer.kind !== "pending") throw new Error(`expected pending, got ${answer.kind}`);
  return answer.id;
}

async function pendingId(): Promise<string> {
  await waitUntil(
    "a question is pending",
    async () => (await questions.list({ state: "pending" })).length > 0,
  );
  return (await questions.list({ state: "pending" }))[0]!.id;
}

describe("a question", () => {
  it("resumes the waiting call when it is answered", async () => {
    const waiting = questions.ask(asking(), LONG);
    const id = await pendingId();
    await questions.answer(id, "yes");
    expect(await waiting).toMatchObject({ kind: "answered", id, answer: "yes" });
    expect((await trustStores(store).questions.get(id))?.state).toBe("used");
    expect(heard).toEqual(["question.asked", "question.answered"]);
  });

  it("is answered after the wait and picked up by the next equal call, once", async () => {
    const id = await askedId();
    await questions.answer(id, "yes");
    expect(await questions.ask(asking(), NOW)).toMatchObject({ kind: "answered", id, answer: "yes" });
    const again = await questions.ask(asking(), NOW);
    expect(again).toMatchObject({ kind: "pending" });
    expect(again).not.toMatchObject({ id });
  });

  it("resumes a call that waits in another process", async () => {
    const other = openOverStore();
    const waiting = questions.ask(asking(), LONG);
    await other.answer(await pendingId(), "from elsewhere");
    expect(await waiting).toMatchObject({ kind: "answered", answer: "from elsewhere" });
  });

  it("survives a restart", async () => {
    const id = await askedId();
    questions.close();
    questions = openOverStore();
    await questions.answer(id, "still here");
    questions.close();
    questions = openOverStore();
    expect(await questions.ask(asking(), NOW)).toMatchObject({ kind: "answered", id, answer: "still here" });
  });

  it("is shared by equal calls, and its answer goes to exactly one of them", async () => {
    const waiting = [1, 2, 3].map(() => questions.ask(asking(), { waitMs: 1_500 }));
    const id = await pendingId();
    expect(await questions.list({ state: "pending" })).toHaveLength(1);
    await questions.answer(id, "yes");
    const kinds = (await Promise.all(waiting)).map((answer) => answer.kind);
    expect(kinds.sort()).toEqual(["answered", "pending", "pending"]);
    expect(await questions.list({ state: "pending" })).toHaveLength(1);
  });

  it("that is dismissed tells every waiting call", async () => {
    const waiting = [1, 2].map(() => questions.ask(asking(), LONG));
    await questions.dismiss(await pendingId());
    expect((await Promise.all(waiting)).map((answer) => answer.kind)).toEqual(["dismissed", "dismissed"]);
    expect(heard).toContain("question.dismissed");
    expect((await questions.ask(asking(), NOW)).kind).toBe("pending");
  });

  it("that is dismissed while nobody waits tells the next equal call, once", async () => {
    const id = await askedId();
    await questions.dismiss(id);
    expect(await questions.ask(asking(), NOW)).toEqual({ kind: "dismissed", id });
    expect((await questions.ask(asking(), NOW)).kind).toBe("pending");
  });

  it("no longer counts once it has expired", async () => {
    const unanswered = await askedId({ about: "one" });
    const answered = await askedId({ about: "two" });
    await questions.answer(answered, "yes");
    now += EXPIRE_MS;
    expect(await questions.list({ state: "pending" })).toEqual([]);
    await expect(questions.answer(unanswered, "late")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await askedId({ about: "one" })).not.toBe(unanswered);
    expect(await askedId({ about: "two" })).not.toBe(answered);
  });

  it("is refused beyond the limit of its agent, and only of its agent", async () => {
    for (let number = 0; number < MAX_PENDING; number++) await askedId({ about: `question ${number}` });
    expect(await questions.ask(asking({ about: "more" }), LONG)).toEqual({
      kind: "too_many",
      limit: MAX_PENDING,
    });
    expect((await questions.ask(asking({ about: "more", agentId: "agt_2" }), NOW)).kind).toBe("pending");
    now += EXPIRE_MS;
    expect((await questions.ask(asking({ about: "more" }), NOW)).kind).toBe("pending");
  });

  it("keeps to the limit when many are asked at once", async () => {
    const asked = Array.from({ length: 30 }, (_, number) =>
      questions.ask(asking({ about: `q${number}` }), NOW),
    );
    const kinds = (await Promise.all(asked)).map((answer) => answer.kind);
    expect(kinds.filter((kind) => kind === "pending")).toHaveLength(MAX_PENDING);
  });
});

describe("waiting", () => {
  it("ends when the signal aborts; the question stays", async () => {
    const cancel = new AbortController();
    const waiting = questions.ask(asking(), { ...LONG, signal: cancel.signal });
    const id = await pendingId();
    cancel.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect((await trustStores(store).questions.get(id))?.state).toBe("pending");
    await expect(questions.ask(asking(), { ...LONG, signal: cancel.signal })).rejects.toThrow("enough");
  });

  it("ends in pending when the questions close", async () => {
    const waiting = questions.ask(asking(), LONG);
    const id = await pendingId();
    questions.close();
    expect(await waiting).toEqual({ kind: "pending", id, expiresAt: now + EXPIRE_MS });
  });
});

describe("an answer", () => {
  it("to a secret goes to the vault; the record holds the name only", async () => {
    const id = await askedId({ kind: "secret", details: { name: "API_KEY" } });
    const record = await questions.answer(id, "s3cr3t");
    expect(record.answer).toBe("API_KEY");
    expect(secrets.get("API_KEY")).toBe("s3cr3t");
    expect(JSON.stringify(await store.dump())).not.toContain("s3cr3t");
  });

  it("must be one of the choices", async () => {
    const id = await askedId({ details: { choices: ["red", "blue"] } });
    await expect(questions.answer(id, "green")).rejects.toThrow('one of "red", "blue"; it got "green"');
    expect((await questions.answer(id, "red")).state).toBe("answered");
  });

  it("to an approval is once or reject", async () => {
    const id = await askedId({ kind: "approval" });
    await expect(questions.answer(id, "always")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect((await questions.answer(id, "once")).answer).toBe("once");
  });

  it("is refused when empty, too long, second, or to no question", async () => {
    const id = await askedId();
    await expect(questions.answer(id, "")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(questions.answer(id, "x".repeat(70_000))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await questions.answer(id, "yes");
    await expect(questions.answer(id, "no")).rejects.toThrow("is answered");
    await expect(questions.dismiss(id)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(questions.answer("qst_none", "x")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is taken from one of two people who answer at once", async () => {
    const id = await askedId();
    const other = openOverStore();
    const results = await Promise.allSettled([questions.answer(id, "a"), other.answer(id, "b")]);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  });
});

describe("the digest of a question", () => {
  it("is the same whatever the order of arguments, and differs by agent, tool and arguments", () => {
    const one = questionDigest("a", "t", { x: 1, y: { b: 1, a: 2 } });
    expect(questionDigest("a", "t", { y: { a: 2, b: 1 }, x: 1 })).toBe(one);
    const others = [
      questionDigest("b", "t", { x: 1 }),
      questionDigest("a", "u", { x: 1 }),
      questionDigest("a", "t", { x: 2 }),
    ];
    expect(new Set([one, ...others]).size).toBe(4);
  });
});

describe("a question that another process moved on", () => {
  it("wakes the call that waits for it, without waiting for the next look", async () => {
    const patient = openOverStore({ pollMs: 60_000 });
    const waiting = patient.ask(asking(), LONG);
    const id = await pendingId();
    await questions.answer(id, "blue");
    const took = stopwatch();
    await patient.onMovedElsewhere({ id, state: "answered" });
    expect(await waiting).toMatchObject({ kind: "answered", id, answer: "blue" });
    expect(took()).toBeLessThan(2_000);
    patient.close();
  });

  it("is announced to listeners here, with the agent's name", async () => {
    const told: unknown[] = [];
    const events = new Events((error) => {
      throw error;
    });
    for (const name of ["question.asked", "question.answered", "question.dismissed"] as const) {
      events.on(name, (payload) => told.push([name, payload]));
    }
    const other = openOverStore({ events, agentName: () => "tester" });
    const id = await askedId();
    await other.onMovedElsewhere({ id, state: "pending" });
    await questions.answer(id, "yes", { by: "eve", from: "cli", role: "operator" });
    await other.onMovedElsewhere({ id, state: "answered" });
    await other.onMovedElsewhere({ id, state: "used" });
    const second = await askedId({ about: "something else" });
    await questions.dismiss(second, { by: "eve", from: "api", role: "operator" });
    await other.onMovedElsewhere({ id: second, state: "dismissed" });
    await other.onMovedElsewhere({ id: "qst_gone", state: "pending" });
    const asked = { prompt: "something", createdAt: now, expiresAt: now + EXPIRE_MS };
    expect(told).toEqual([
      ["question.asked", { id, agent: "tester", kind: "human", ...asked }],
      // What a person wrote is only for the agent that asked.
      ["question.answered", { id, kind: "human", by: "eve", from: "cli" }],
      ["question.dismissed", { id: second, kind: "human", by: "eve", from: "api" }],
    ]);
    other.close();
  });
});

it("answering and dismissing resolve once the record is kept", async () => {
  let isKept = () => {};
  const kept = new Promise<void>((resolve) => {
    isKept = resolve;
  });
  const noted: string[] = [];
  const slow = openOverStore({
    onSettled: async ({ state }) => {
      noted.push(state);
      await kept;
    },
  });
  const told: string[] = [];
  const [first, second] = [await askedId({ about: "one" }), await askedId({ about: "two" })];
  const both = [
    slow.answer(first, "yes").then(({ state }) => told.push(state)),
    slow.dismiss(second).then(({ state }) => told.push(state)),
  ];
  await waitUntil("both are noted", () => noted.length === 2);
  expect((await trustStores(store).questions.get(first))?.state).toBe("answered");
  expect([told, heard.filter((name) => name !== "question.asked")]).toEqual([[], []]);
  isKept();
  await Promise.all(both);
  expect(told.sort()).toEqual(["answered", "dismissed"]);
});
