import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/contract/caller.ts";
import type { Answering, Inquiry } from "../../src/contract/tool.ts";
import type { ServerInput } from "../../src/servers/contract.ts";
import { remoteServer } from "../support/remote-server.ts";
import { askingHttp } from "../support/servers/asking-http.ts";
import { said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { freshUpstream } from "./fresh-upstream.ts";

const it = freshUpstream({ backoffMs: [50] });

/** Somebody who answers what is asked during its calls, and notes it. */
interface Person {
  readonly caller: Partial<Caller>;
  readonly heard: string[];
  readonly answering: Answering;
}

const KINDS = ["elicitation", "sampling"] as const;
const ALONE = { isExclusive: true };
const PAIRS: readonly (readonly [string, Partial<Caller>, Partial<Caller>, Partial<Answering>])[] = [
  ["two agents", { agentId: "agt_ann" }, { agentId: "agt_bob" }, {}],
  ["two conversations of one agent", { conversation: "one" }, { conversation: "two" }, {}],
  ["two tokens of one agent", { tokenId: "tok_one" }, { tokenId: "tok_two" }, {}],
  ["two clients with one token", {}, {}, ALONE],
];

describe.each([
  [
    "stdio",
    async (): Promise<ServerInput & AsyncDisposable> => ({ ...ASKING, async [Symbol.asyncDispose]() {} }),
  ],
  [
    "HTTP",
    async (): Promise<ServerInput & AsyncDisposable> => {
      const remote = await remoteServer(askingHttp());
      return { url: remote.url, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() };
    },
  ],
])("over %s", (_, open) => {
  describe.each(KINDS)("a question (%s)", (kind) => {
    test.each(PAIRS)(
      "during calls of %s at once reaches only whose call it is about",
      async (_, one, two, how) => {
        await using server = await open();
        await it.add("asking", server);
        const ann = person("Ann", one, how);
        const bob = person("Bob", two, how);

        // Both at once, on a server that was never seen to ask: what cannot be told apart may be refused, not mixed up.
        await Promise.all([
          ask(ann, { kind, about: "Ann's", ms: 50 }),
          ask(bob, { kind, about: "Bob's", ms: 50 }),
        ]);
        expect(ann.heard.filter((about) => about !== "Ann's")).toEqual([]);
        expect(bob.heard.filter((about) => about !== "Bob's")).toEqual([]);

        // From then on it is known to ask, and everybody is.
        for (let round = 0; round < 3; round++) {
          const [annsReply, bobsReply] = await Promise.all([
            ask(ann, { kind, about: "Ann's", ms: 10 }),
            ask(bob, { kind, about: "Bob's", ms: 10 }),
          ]);
          expect(annsReply).toContain("answered by Ann");
          expect(bobsReply).toContain("answered by Bob");
        }
        expect(new Set(ann.heard)).toEqual(new Set(["Ann's"]));
        expect(new Set(bob.heard)).toEqual(new Set(["Bob's"]));
      },
    );

    test("beside a call of somebody else is refused or answered by its own caller, never by the other", async () => {
      await using server = await open();
      await it.add("asking", server);
      const ann = person("Ann", { agentId: "agt_ann" });
      const bob = person("Bob", { agentId: "agt_bob" });
      const slow = ask(ann, { kind, about: "Ann's", ms: 300 });
      const quick = await it.up.call("mcp_asking_echo", { x: 1 }, bob);

      expect(said(quick)).toBe('{"x":1}');
      expect(await slow).toMatch(/answered by Ann|"error"/);
      expect(bob.heard).toEqual([]);
    });

    test("that one client leaves unanswered swallows none of another client with the same token", async () => {
      await using server = await open();
      await it.add("asking", server);
      // So that it is known to ask.
      await ask(person("Ann", {}, ALONE), { kind, about: "Ann's" });
      const asked = withResolvers<unknown>();
      const away: Answering = {
        capabilities: { elicitation: {}, sampling: {} },
        ...ALONE,
        answer: (inquiry) => {
          asked.resolve(inquiry);
          return new Promise(() => {});
        },
      };
      const stop = new AbortController();
      const question = { kind, about: "left alone" };
      const left = it.up.call("mcp_asking_ask", question, { answering: away, signal: stop.signal });
      await asked.promise;

      const bob = person("Bob", {}, ALONE);
      expect(await ask(bob, { kind, about: "Bob's" })).toContain("answered by Bob");
      expect(bob.heard).toEqual(["Bob's"]);
      stop.abort();
      await left;
    });

    test("when no call is under way is refused", async () => {
      await using server = await open();
      await it.add("asking", server);
      const ann = person("Ann", { agentId: "agt_ann" });
      await it.up.call("mcp_asking_later", { kind, about: "whose?" }, ann);

      await waitUntil("there was a reply", async () => (await replies()).length > 0);
      expect(await replies()).toMatchObject([{ error: expect.any(String) }]);
      expect(ann.heard).toEqual([]);
    });

    test("left over from an earlier call does not reach who calls now", async () => {
      await using server = await open();
      await it.add("asking", server);
      const ann = person("Ann", { agentId: "agt_ann" });
      const bob = person("Bob", { agentId: "agt_bob" });
      await it.up.call("mcp_asking_later", { kind, about: "Ann's" }, ann);
      await ask(bob, { kind, about: "Bob's", ms: 400 });

      expect(bob.heard.filter((about) => about !== "Bob's")).toEqual([]);
      await waitUntil("there was a reply", async () => (await replies()).length > 0);
      expect(await replies()).toMatchObject([{ error: expect.any(String) }]);
    });

    test("to a caller that cannot be asked is refused, and its call goes on", async () => {
      await using server = await open();
      await it.add("asking", server);
      const result = await it.up.call("mcp_asking_ask", { kind, about: "nobody" });
      expect(JSON.parse(said(result))).toMatchObject({ error: expect.any(String) });
    });

    test("that its caller will not answer is refused, and its call goes on", async () => {
      await using server = await open();
      await it.add("asking", server);
      const answering: Answering = {
        capabilities: { elicitation: {}, sampling: {} },
        answer: () => Promise.reject(new Error("not in the mood")),
      };
      const result = await it.up.call("mcp_asking_ask", { kind, about: "Ann's" }, { answering });
      expect(JSON.parse(said(result))).toMatchObject({ error: expect.any(String) });
    });

    test("is withdrawn when the call that it is about is cancelled", async () => {
      await using server = await open();
      await it.add("asking", server);
      const asked = withResolvers<AbortSignal>();
      const answering: Answering = {
        capabilities: { elicitation: {}, sampling: {} },
        answer: (_inquiry, signal) => {
          asked.resolve(signal);
          return new Promise(() => {});
        },
      };
      const stop = new AbortController();
      const call = it.up.call("mcp_asking_ask", { kind, about: "Ann's" }, { answering, signal: stop.signal });
      const signal = await asked.promise;
      stop.abort();
      expect(await call).toMatchObject({ kind: "failed" });
      await waitUntil("the question was withdrawn", () => signal.aborted);
    });
  });
});

test("an answer of one caller goes to one server alone", async () => {
  await it.add("asking", ASKING);
  await it.add("other", ASKING);
  const ann = person("Ann", { agentId: "agt_ann" });
  const bob = person("Bob", { agentId: "agt_bob" });
  await Promise.all([
    it.up.call("mcp_asking_ask", { kind: "elicitation", about: "Ann's" }, ann),
    it.up.call("mcp_other_ask", { kind: "elicitation", about: "Bob's" }, bob),
  ]);
  expect([ann.heard, bob.heard]).toEqual([["Ann's"], ["Bob's"]]);
});

const ASKING: ServerInput = {
  command: process.execPath,
  args: [join(import.meta.dirname, "../support/servers/asking.mjs")],
};

function person(name: string, caller: Partial<Caller>, how: Partial<Answering> = {}): Person {
  const heard: string[] = [];
  return {
    caller,
    heard,
    answering: {
      capabilities: { elicitation: {}, sampling: {} },
      ...how,
      async answer(inquiry) {
        heard.push(aboutOf(inquiry));
        return inquiry.method === "elicitation/create"
          ? { action: "accept", content: { answer: `answered by ${name}` } }
          : { role: "assistant", model: "none", content: { type: "text", text: `answered by ${name}` } };
      },
    },
  };
}

function aboutOf({ method, params }: Inquiry): string {
  if (method === "elicitation/create") return String(params.message);
  const [message] = params.messages as [{ content: { text: string } }];
  return message.content.text;
}

async function ask({ caller, answering }: Person, question: Record<string, unknown>): Promise<string> {
  const result = await it.up.call("mcp_asking_ask", question, { caller, answering });
  return result.kind === "output" ? said(result) : JSON.stringify(result);
}

async function replies(): Promise<unknown[]> {
  return JSON.parse(said(await it.up.call("mcp_asking_replies"))) as unknown[];
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
