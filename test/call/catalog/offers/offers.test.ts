import { describe, expect, test } from "vitest";
import { Catalog } from "../../../../src/call/catalog/catalog.ts";
import { Offers } from "../../../../src/call/catalog/offers/offers.ts";
import { Rules } from "../../../../src/call/rules/rules.ts";
import type { Caller } from "../../../../src/contract/caller.ts";
import { Events } from "../../../../src/contract/events.ts";
import type { OfferKind, OfferOrigin, ResourceUpdate } from "../../../../src/contract/offer.ts";
import type { OfferCallKind, Tool, ToolContext } from "../../../../src/contract/tool.ts";
import { TestOffers, testOrigin } from "../../../support/offers.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { TestSource, testCaller, testTool } from "../../../support/tools.ts";

interface Setup {
  readonly tools?: readonly Tool[];
  readonly toolboxes?: Readonly<Record<string, readonly string[]>>;
  /** Whole permissions. */
  readonly denied?: readonly string[];
  readonly asked?: readonly string[];
}

async function open(origins: readonly OfferOrigin[], setup: Setup = {}) {
  const temp = await tempStore();
  const { tools = [], toolboxes = {}, denied = [], asked = [] } = setup;
  const isNamed = (list: readonly string[], tool: Tool) =>
    list.includes(tool.name) || list.includes(`${tool.origin}:${tool.ownName}`);
  const isHidden = (tool: Tool) => isNamed(denied, tool);
  const catalog = await Catalog.open({
    sources: [new TestSource(tools)],
    store: temp.store,
    isHidden,
    ruledConversation: () => null,
    isOffered: () => false,
    agentsWith: () => [],
    events: new Events(() => {}),
    clock: () => 1_000,
  });
  for (const [name, entries] of Object.entries(toolboxes)) {
    await catalog.toolboxes.create(name, { tools: entries });
  }
  const source = new TestOffers(...origins);
  const offers = new Offers({ source, catalog, isHidden, needsApproval: (tool) => isNamed(asked, tool) });
  const names = (caller: Caller, kind: OfferKind) =>
    offers.visible(caller, kind).map(({ uri, uriTemplate, name }) => uri ?? uriTemplate ?? name);
  const resolve = (kind: OfferCallKind, name: string, caller: Caller, args: unknown = {}) =>
    offers.resolve({ kind, name, arguments: args, caller, via: "mcp" });
  return {
    catalog,
    offers,
    source,
    names,
    resolve,
    /** The answer, or the outcome of the refusal. */
    async ask(kind: OfferCallKind, name: string, caller: Caller, args: Record<string, unknown> = {}) {
      const resolved = resolve(kind, name, caller, args);
      if (!resolved.ok) return resolved.error.outcome;
      const result = await resolved.value.run(args, CONTEXT);
      return result.kind === "output" ? result.structured : result;
    },
    [Symbol.asyncDispose]: async () => {
      offers.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const CONTEXT = {} as ToolContext;
const operator = testCaller({ operator: true });
const granted = (...grants: string[]) => testCaller({ grants });

describe("what a caller sees", () => {
  const docs = () =>
    testOrigin("docs", ["prompt review", "resource file:///a", "resource_template doc:{id}"]);
  const git = () => testOrigin("git", ["prompt review", "resource git://x"]);

  test("is what its patterns cover, sorted by name, as published", async () => {
    await using all = await open([docs(), git()]);
    const caller = granted("mcp:*");
    expect(all.names(caller, "prompt")).toEqual(["docs_review", "git_review"]);
    expect(all.names(caller, "resource")).toEqual(["file:///a", "git://x"]);
    expect(all.names(caller, "resource_template")).toEqual(["doc:{id}"]);
    expect(all.offers.visible(caller, "resource")[0]).toEqual({
      uri: "file:///a",
      description: "docs's file:///a",
    });
  });

  test("is of one server, one kind or one offer where the pattern says so", async () => {
    await using all = await open([docs(), git()]);
    expect(all.names(granted("mcp:git:*"), "prompt")).toEqual(["git_review"]);
    expect(all.names(granted("mcp:git:prompt:*"), "resource")).toEqual([]);
    expect(all.names(granted("mcp:docs:resource:file:*"), "resource")).toEqual(["file:///a"]);
    expect(all.names(granted("mcp:docs:resource:file:*"), "resource_template")).toEqual([]);
  });

  test("is nothing by a tool's name, by * or without the scope", async () => {
    await using all = await open([docs()], { toolboxes: { box: ["*"] } });
    for (const caller of [
      granted("mcp_docs_read"),
      testCaller({ toolboxes: ["box"] }),
      { ...granted("mcp:*"), scopes: ["files" as const, "tools" as const] },
    ]) {
      expect(all.names(caller, "prompt")).toEqual([]);
      expect(all.offers.hasAny(caller)).toBe(false);
      expect(await all.ask("resource", "file:///a", caller)).toBe("not_granted");
      expect(await all.ask("prompt", "docs_review", caller)).toBe("not_granted");
    }
  });

  test("is everything for a person", async () => {
    await using all = await open([docs(), git()]);
    expect(all.names(operator, "prompt")).toEqual(["docs_review", "git_review"]);
  });

  test("is not what a rule denies, a server switched off or one that waits for a person", async () => {
    const off = testOrigin("off", ["prompt p"]);
    off.state = { kind: "disabled", reason: "off is disabled" };
    const waiting = testOrigin("waiting", ["prompt p"]);
    waiting.state = { kind: "pending_approval", reason: "waits" };
    const down = testOrigin("down", ["prompt p"]);
    down.state = { kind: "unavailable", reason: "down is unavailable" };
    await using all = await open([docs(), down, off, waiting], { denied: ["mcp:docs:prompt:review"] });
    expect(all.names(operator, "prompt")).toEqual(["down_p"]);
    expect(await all.ask("prompt", "off_p", operator)).toBe("disabled");
    expect(await all.ask("prompt", "waiting_p", operator)).toBe("pending_approval");
    expect(await all.ask("prompt", "down_p", operator)).toBe("unavailable");
    // It resolves: the denial, which names the rule, follows when the call is decided.
    expect(all.resolve("prompt", "docs_review", operator).ok).toBe(true);
  });

  test("at the address of a toolbox is what that covers", async () => {
    const toolboxes = { reading: ["mcp:docs:*"], all: ["mcp:*"] };
    await using all = await open([docs(), git()], { toolboxes });
    const caller = testCaller({ toolboxes: ["reading", "all"], narrowing: { toolbox: "reading" } });
    expect(all.names(caller, "prompt")).toEqual(["docs_review"]);
    expect(await all.ask("resource", "git://x", caller)).toBe("not_granted");
  });

  test("at the address of a server is that server's, by its own names", async () => {
    const twin = testOrigin("twin", ["resource file:///a", "prompt review"]);
    await using all = await open([docs(), twin]);
    const caller = { ...granted("mcp:*"), narrowing: { server: "twin" } };
    expect(all.names(caller, "prompt")).toEqual(["review"]);
    expect(all.names(caller, "resource")).toEqual(["file:///a"]);
    await all.ask("prompt", "review", caller);
    await all.ask("resource", "file:///a", caller);
    expect(twin.asked).toEqual([["review", {}], "file:///a"]);
    expect(await all.ask("prompt", "docs_review", caller)).toBe("unknown_tool");
    expect(await all.ask("resource", "toolkeep://docs/file:///a", { ...caller, grants: [] })).toBe(
      "unknown_tool",
    );
  });
});

describe("the user interface of a tool", () => {
  const published = { _meta: { ui: { resourceUri: "ui://chart/view", prefersBorder: true } } };
  const tools = [
    testTool({ name: "mcp_chart_draw", origin: "mcp:chart", published }),
    testTool({
      name: "mcp_chart_old",
      origin: "mcp:chart",
      published: { _meta: { "ui/resourceUri": "ui://old" } },
    }),
  ];
  const chart = () => testOrigin("chart", ["resource ui://chart/view", "resource ui://other", "prompt p"]);

  test("is read by whoever sees the tool, and nothing else is", async () => {
    const origin = chart();
    await using all = await open([origin], { tools });
    const caller = granted("mcp_chart_draw");
    expect(all.names(caller, "resource")).toEqual(["ui://chart/view"]);
    await all.ask("resource", "ui://chart/view", caller);
    expect(origin.asked).toEqual(["ui://chart/view"]);
    expect(await all.ask("resource", "ui://other", caller)).toBe("not_granted");
    expect(await all.ask("resource", "ui://old", caller)).toBe("unknown_tool");
    expect(all.offers.abilitiesFor(caller)).toMatchObject({ resources: true, prompts: false });
  });

  test("is read also where the server does not list it", async () => {
    const origin = chart();
    await using all = await open([origin], { tools });
    await all.ask("resource", "ui://old", granted("mcp_chart_old"));
    expect(origin.asked).toEqual(["ui://old"]);
  });

  test("is that of the tool's own server, whoever else has the same URI", async () => {
    const [a, b] = [testOrigin("a", ["resource ui://chart/view"]), chart()];
    await using all = await open([a, b], { tools });
    const caller = granted("mcp_chart_draw", "mcp:a:*");
    const shown = all.offers.withInterfaceFor(caller, tools[0]!);
    const uri = "toolkeep://chart/ui://chart/view";
    expect(shown.published).toEqual({ _meta: { ui: { resourceUri: uri, prefersBorder: true } } });
    await all.ask("resource", uri, caller);
    expect(b.asked).toEqual(["ui://chart/view"]);
    expect(all.offers.withInterfaceFor(granted("mcp_chart_draw"), tools[0]!)).toBe(tools[0]);
  });

  test("that its server does not list is not read from another that does", async () => {
    const [a, b] = [testOrigin("a", ["resource ui://old"]), chart()];
    await using all = await open([a, b], { tools });
    const caller = granted("mcp_chart_old", "mcp:a:*");
    const uri = "toolkeep://chart/ui://old";
    expect(all.offers.withInterfaceFor(caller, tools[1]!).published).toEqual({
      _meta: { "ui/resourceUri": uri },
    });
    await all.ask("resource", uri, caller);
    expect([a.asked, b.asked]).toEqual([[], ["ui://old"]]);
  });
});

describe("a URI that two servers have", () => {
  test("stays with the first by name, and both are read", async () => {
    const [a, b] = [testOrigin("a", ["resource file:///x"]), testOrigin("b b", ["resource file:///x"])];
    await using all = await open([a, b]);
    expect(all.names(operator, "resource")).toEqual(["file:///x", "toolkeep://b%20b/file:///x"]);
    expect(await all.ask("resource", "file:///x", operator)).toEqual({
      contents: [{ uri: "file:///x", text: "a has file:///x" }],
    });
    expect(await all.ask("resource", "toolkeep://b%20b/file:///x", operator)).toEqual({
      contents: [{ uri: "toolkeep://b%20b/file:///x", text: "b b has file:///x" }],
    });
    expect(all.names(granted("mcp:b b:*"), "resource")).toEqual(["file:///x"]);
  });

  test("stays a template that can be filled in", async () => {
    const [a, b] = [
      testOrigin("a", ["resource_template x:{y}"]),
      testOrigin("b", ["resource_template x:{y}"]),
    ];
    await using all = await open([a, b]);
    expect(all.names(operator, "resource_template")).toEqual(["toolkeep://b/x:{y}", "x:{y}"]);
    await all.ask("resource", "toolkeep://b/x:a%20b", operator);
    expect(b.asked).toEqual(["x:a%20b"]);
  });

  test("cannot be made up by a server in Toolkeep's name", async () => {
    const [a, b] = [
      testOrigin("a", ["resource toolkeep://b/file:///x"]),
      testOrigin("b", ["resource file:///x"]),
    ];
    await using all = await open([a, b]);
    await all.ask("resource", "toolkeep://b/file:///x", operator);
    expect([a.asked, b.asked]).toEqual([[], ["file:///x"]]);
    expect(all.names(operator, "resource")).toContain("toolkeep://a/toolkeep://b/file:///x");
  });
});

describe("a URI that nobody lists", () => {
  test("goes to the server whose template says most about it", async () => {
    const a = testOrigin("a", ["resource_template {+anything}"]);
    const b = testOrigin("b", ["resource_template users://{id}/profile"]);
    await using all = await open([a, b]);
    await all.ask("resource", "users://7/profile", operator);
    expect([a.asked, b.asked]).toEqual([[], ["users://7/profile"]]);
  });

  test("goes to the only server it can be meant for, as tools may refer to it", async () => {
    const a = testOrigin("a", ["resource https://one/x"]);
    const b = testOrigin("b", ["resource https://two/y"]);
    const c = testOrigin("c", [], { resources: false });
    await using all = await open([a, b, c]);
    await all.ask("resource", "https://two/z", operator);
    await all.ask("resource", "anything:else", granted("mcp:a:*"));
    await all.ask("resource", "toolkeep://b/anything:else", operator);
    expect([a.asked, b.asked]).toEqual([["anything:else"], ["https://two/z", "anything:else"]]);
    const unclear = all.resolve("resource", "anything:else", operator);
    expect(unclear).toMatchObject({
      ok: false,
      error: {
        outcome: "ambiguous_tool",
        error: { details: { candidates: ["toolkeep://a/anything:else", "toolkeep://b/anything:else"] } },
      },
    });
  });

  test("is not found where nothing covers it, and the client can tell", async () => {
    await using all = await open([testOrigin("a", ["resource file:///x", "resource_template x:{y}"])]);
    const caller = granted("mcp:a:resource_template:x:*");
    for (const [uri, outcome] of [
      ["file:///x", "not_granted"],
      ["file:///y", "unknown_tool"],
      ["toolkeep://nobody/x:1", "unknown_tool"],
      ["toolkeep://%zz/x:1", "unknown_tool"],
      [`x:${"1".repeat(10_000)}`, "unknown_tool"],
    ] as const) {
      expect(all.resolve("resource", uri, caller)).toMatchObject({
        ok: false,
        error: { outcome, error: { details: { code: "resource_not_found", uri } } },
      });
    }
    expect(await all.ask("resource", "x:1", caller)).toMatchObject({ contents: [{ uri: "x:1" }] });
  });

  test("is not read through a template that a rule denies", async () => {
    const a = testOrigin("a", ["resource_template x:{y}"]);
    await using all = await open([a], { denied: ["mcp:a:resource_template:x:{y}"] });
    expect(await all.ask("resource", "x:1", granted("mcp:a:resource_template:*"))).toBe("unknown_tool");
  });
});

describe("completions", () => {
  const asked = (ref: Record<string, unknown>) => ({ ref, argument: { name: "path", value: "a" } });

  test("are asked of the server by its own name for the prompt or the template", async () => {
    const a = testOrigin("a", ["prompt review", "resource_template x:{y}"]);
    await using all = await open([testOrigin("0", ["resource_template x:{y}"]), a]);
    await all.ask("completion", "a_review", operator, asked({ type: "ref/prompt", name: "a_review" }));
    await all.ask(
      "completion",
      "toolkeep://a/x:{y}",
      operator,
      asked({ type: "ref/resource", uri: "toolkeep://a/x:{y}" }),
    );
    expect(a.asked).toEqual([
      asked({ type: "ref/prompt", name: "review" }),
      asked({ type: "ref/resource", uri: "x:{y}" }),
    ]);
  });

  test("are for those who have what is completed", async () => {
    await using all = await open([testOrigin("a", ["prompt review", "resource_template x:{y}"])]);
    const prompt = asked({ type: "ref/prompt", name: "a_review" });
    expect(await all.ask("completion", "a_review", granted(), prompt)).toBe("not_granted");
    const template = asked({ type: "ref/resource", uri: "x:{y}" });
    expect(await all.ask("completion", "x:{y}", granted(), template)).toBe("unknown_tool");
  });

  test("ask no person at every letter", async () => {
    await using all = await open([testOrigin("a", ["prompt review"])], { asked: ["mcp:a:prompt:review"] });
    const prompt = asked({ type: "ref/prompt", name: "a_review" });
    expect(await all.ask("completion", "a_review", operator, prompt)).toBe("not_granted");
  });
});

describe("lists", () => {
  test("are the same array until they are different", async () => {
    const a = testOrigin("a", ["prompt p", "resource r:1"]);
    await using all = await open([a]);
    const caller = granted("mcp:*");
    const prompts = all.offers.visible(caller, "prompt");
    all.catalog.invalidate();
    expect(all.offers.visible({ ...caller }, "prompt")).toBe(prompts);
    all.source.replace(a, testOrigin("b", ["resource r:2"]));
    expect(all.offers.visible(caller, "prompt")).toBe(prompts);
    expect(all.offers.visible(caller, "resource")).toHaveLength(2);
    all.source.replace(testOrigin("a", []));
    expect(all.offers.visible(caller, "prompt")).toEqual([]);
  });

  test("that change are told of by kind", async () => {
    const a = testOrigin("a", ["prompt p"]);
    await using all = await open([a]);
    all.offers.visible(operator, "prompt");
    const told: string[][] = [];
    all.offers.onChange((kinds) => told.push([...kinds]));
    const { revision } = all.offers;
    all.source.replace(a, testOrigin("b", ["resource r:2"]));
    a.state = { kind: "disabled", reason: "off" };
    all.source.replace(a, testOrigin("c", []));
    await all.catalog.toolboxes.create("box", { tools: ["mcp:*"] });
    expect(told.slice(0, 2)).toEqual([["resource"], ["resource", "prompt"]]);
    expect(told.at(-1)).toHaveLength(3);
    expect(all.offers.revision).toBeGreaterThan(revision);
  });

  test("follow a toolbox", async () => {
    await using all = await open([testOrigin("a", ["prompt p"])], { toolboxes: { box: ["mcp:b:*"] } });
    const caller = testCaller({ toolboxes: ["box"] });
    expect(all.names(caller, "prompt")).toEqual([]);
    await all.catalog.toolboxes.update("box", { tools: ["mcp:a:*"] });
    expect(all.names(caller, "prompt")).toEqual(["a_p"]);
  });
});

test("a caller is told which abilities there are for it", async () => {
  const quiet = { subscribe: false, completions: false, logging: false, tasks: false };
  const bare = testOrigin("bare", [], { ...quiet, prompts: false });
  await using all = await open([bare, testOrigin("rich", ["prompt p"])], {
    tools: [testTool({ name: "mcp_rich_x", origin: "mcp:rich" })],
  });
  expect(all.offers.abilitiesFor(granted("mcp:bare:*"))).toEqual({
    resources: true,
    prompts: false,
    ...quiet,
  });
  expect(all.offers.abilitiesFor(granted("mcp:rich:*"))).toEqual({
    resources: true,
    subscribe: true,
    prompts: true,
    completions: true,
    logging: true,
    tasks: false,
  });
  expect(all.offers.abilitiesFor(granted("mcp_rich_x"))).toEqual({
    resources: false,
    subscribe: false,
    prompts: false,
    completions: false,
    logging: true,
    tasks: false,
  });
});

describe("a subscription", () => {
  test("tells of changes by the URI that the caller knows, parts of it included", async () => {
    const [a, b] = [testOrigin("a", ["resource x:1"]), testOrigin("b", ["resource x:1"])];
    await using all = await open([a, b]);
    const told: ResourceUpdate[] = [];
    const end = new AbortController();
    const subscribed = await all.offers.subscribe(
      () => operator,
      "toolkeep://b/x:1",
      (update) => told.push(update),
      end.signal,
    );
    expect(subscribed.ok).toBe(true);
    b.watchers.get("x:1")?.({ uri: "x:1", title: "One" });
    b.watchers.get("x:1")?.({ uri: "x:1/part" });
    expect(told).toEqual([{ uri: "toolkeep://b/x:1", title: "One" }, { uri: "toolkeep://b/x:1/part" }]);
    end.abort();
    expect(b.watchers.size).toBe(0);
  });

  test("is refused for what the caller may not read, and where the server does not tell", async () => {
    const a = testOrigin("a", ["resource x:1", "resource x:2"]);
    const mute = testOrigin("mute", ["resource m:1"], { subscribe: false });
    await using all = await open([a, mute], { denied: ["mcp:a:resource:x:2"] });
    const { signal } = new AbortController();
    const refused = async (uri: string, caller: Caller) => {
      const result = await all.offers.subscribe(
        () => caller,
        uri,
        () => {},
        signal,
      );
      return result.ok ? "" : result.error;
    };
    expect(await refused("x:1", granted())).toContain("is not granted");
    expect(await refused("x:2", operator)).toContain("denied by a rule");
    expect(await refused("m:1", operator)).toContain("does not announce changes");
    expect(a.watchers.size).toBe(0);
  });

  test("tells nothing any more once the resource was taken away", async () => {
    const a = testOrigin("a", ["resource x:1"]);
    await using all = await open([a], { toolboxes: { box: ["mcp:a:*"] } });
    const told: unknown[] = [];
    const caller = testCaller({ toolboxes: ["box"] });
    await all.offers.subscribe(
      () => caller,
      "x:1",
      (update) => told.push(update),
      new AbortController().signal,
    );
    a.watchers.get("x:1")?.({ uri: "x:1" });
    await all.catalog.toolboxes.update("box", { tools: [] });
    a.watchers.get("x:1")?.({ uri: "x:1" });
    expect(told).toHaveLength(1);
  });

  test("is refused beyond 500 of one agent, and gives its place back when it ends", async () => {
    const a = testOrigin("a", ["resource_template x:{y}"]);
    await using all = await open([a]);
    const ends = Array.from({ length: 500 }, () => new AbortController());
    const subscribe = (index: number, { signal }: AbortController) =>
      all.offers.subscribe(
        () => operator,
        `x:${index}`,
        () => {},
        signal,
      );
    for (const [index, end] of ends.entries()) expect((await subscribe(index, end)).ok).toBe(true);
    expect((await subscribe(500, new AbortController())).ok).toBe(false);
    ends[0]?.abort();
    expect((await subscribe(500, new AbortController())).ok).toBe(true);
    all.offers.close();
    expect(a.watchers.size).toBe(0);
  });
});

describe("a URI in another spelling", () => {
  const docs = () => testOrigin("docs", ["resource file:///srv/pub/a", "resource_template file:///{+path}"]);
  const PUB = "mcp:docs:resource:file:///srv/pub/*";

  test.each([
    "file:///srv/pub/../hr/x",
    "file:///srv/pub/%2e%2e/hr/x",
    "file:///srv/pub/.%2E/hr/x",
    "toolkeep://docs/file:///srv/pub/../hr/x",
  ])("is granted by what it leads to: %s", async (uri) => {
    const origin = docs();
    await using all = await open([origin]);
    const hr = granted("mcp:docs:resource:file:///srv/hr/*");
    expect(await all.ask("resource", uri, granted(PUB))).toBe("unknown_tool");
    expect(origin.asked).toEqual([]);
    expect(await all.ask("resource", uri, hr)).toMatchObject({ contents: [{ uri }] });
    expect(origin.asked).toEqual(["file:///srv/hr/x"]);
  });

  test.each([
    "file:///srv/%68r/x",
    "file://localhost/srv/hr/x",
    "FILE:///srv/hr/x",
    "file:/srv/hr/x",
    "file:///srv/./hr/x",
    "file:///srv/pub/../hr/x",
  ])("is decided by the rule about what it leads to: %s", async (uri) => {
    await using all = await open([docs()]);
    const rules = (permission: string) =>
      new Rules([{ permission, action: "deny", final: true, from: "user" }]);
    const found = all.resolve("resource", uri, granted("mcp:docs:*"));
    if (!found.ok) throw new Error(found.error.error.message);
    for (const permission of [
      "mcp:docs:resource:file:///srv/hr/*",
      "resource:file:///srv/hr/x",
      "mcp:*:resource:file://localhost/srv/%68r/*",
    ])
      expect(rules(permission).decide(found.value).action).toBe("deny");
    expect(rules("resource:file:///srv/pub/*").decide(found.value).action).toBe("allow");
    const allow = new Rules([
      { permission: "mcp:docs:*", action: "ask", from: "user" },
      { permission: "mcp:docs:*", pattern: { path: "/srv/hr/**" }, action: "allow", from: "user" },
    ]);
    expect(allow.decide(found.value).action).toBe("allow");
  });

  test.each([
    "file:///srv/pub%2f..%2fhr/x",
    "file:///srv/pub/%252e%252e/hr/x",
    "file:///srv/pub/..\\hr/x",
    "file:///srv/pub/a#/../../hr/x",
    "file:////srv/hr/x",
    "file://other/srv/hr/x",
    "toolkeep://docs/file:srv/hr/x",
  ])("is refused where readers differ: %s", async (uri) => {
    const origin = docs();
    await using all = await open([origin]);
    for (const caller of [operator, granted("mcp:docs:*")])
      for (const kind of ["resource", "subscription"] as const)
        expect(all.resolve(kind, uri, caller)).toMatchObject({
          ok: false,
          error: { outcome: "invalid_arguments", error: { message: expect.stringContaining("is refused") } },
        });
    expect(origin.asked).toEqual([]);
  });

  test("is read by the URI that its server lists, and comes back by the one that was asked for", async () => {
    const origin = testOrigin("docs", ["resource file://localhost/srv/a%7eb"]);
    await using all = await open([origin]);
    const asked = await all.ask("resource", "file:///srv/a~b", granted("mcp:docs:resource:file:///srv/*"));
    expect(asked).toMatchObject({ contents: [{ uri: "file:///srv/a~b" }] });
    expect(origin.asked).toEqual(["file://localhost/srv/a%7eb"]);
  });

  test("that readers differ about is not listed", async () => {
    await using all = await open([testOrigin("docs", ["resource file:///a%2f..%2fb", "resource file:///c"])]);
    expect(all.names(operator, "resource")).toEqual(["file:///c"]);
  });
});
