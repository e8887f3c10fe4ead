import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectClient } from "../support/connect-client.ts";
import { inDeep } from "../support/length.ts";
import { toolkeepHere, toolkeepHereJson } from "../support/run-command.ts";
import { tempHome } from "../support/temp-home.ts";
import { type Serving, serve, toolkeep } from "../support/toolkeep.ts";
import { NEVER, OURS, SCOPES_OF_003, TOOLS_OF_003 } from "../support/tools-of-003.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
type Answer = any;

let place: Awaited<ReturnType<typeof tempHome>>;
let home: string;
let daemon: Serving;
const tokens: Record<string, string> = {};
const cli = (...args: string[]) => toolkeepHere({ home }, ...args);
const json = (...args: string[]) => toolkeepHereJson({ home }, ...args);

/** What `/rpc` says: the bare form. */
async function rpc(method: string, params: object, token = tokens.all!): Promise<Answer> {
  const response = await fetch(new URL("/rpc", daemon.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.json();
}
const call = (name: string, args: object, token?: string) =>
  rpc("tools/call", { name, arguments: args }, token);
const newToken = async (...scopes: string[]) =>
  (await json("token", "create", "--agent", "reader", ...scopes.flatMap((scope) => ["--scope", scope])))
    .token;

/** A real daemon, a folder that everybody may see and one with a label. */
beforeAll(async () => {
  place = await tempHome();
  home = join(place.path, "home");
  const [open, secret] = [join(place.path, "open"), join(place.path, "secret")];
  for (const folder of [home, open, secret]) await mkdir(folder, { recursive: true });
  const settings = {
    port: 0,
    log_level: "silent",
    knowledge: { embeddings: false },
    memory: { embeddings: false },
    // Only when the test says so: another one would be skipped meanwhile.
    sync: { watch: false, interval_mins: 0 },
  };
  await writeFile(join(home, "config.json"), JSON.stringify(settings));
  await writeFile(
    join(open, "garden.md"),
    "# Garden\n\nTomatoes want sun.\n\n## Watering\n\nWater the tomatoes every morning.\n",
  );
  for (let at = 0; at < 30; at++)
    await writeFile(join(open, `plant-${at}.txt`), `Plant number ${at} is green.`);
  await writeFile(join(secret, "diary.md"), "# Diary\n\nThe zanzibar plan about tomatoes is hidden.\n");
  daemon = await serve({ home });
  await json("agent", "create", "reader", "--toolbox", "knowledge");
  tokens.all = await newToken();
  tokens.labelled = await newToken("label:private");
  tokens.narrow = await newToken("search", "sync");
  expect((await cli("source", "add", "folder", open, "--name", "garden")).stdout).toContain(
    "toolkeep sync garden",
  );
  await json("source", "add", "folder", secret, "--name", "diary", "--label", "private");
  const { sources, skipped } = await json("sync");
  expect([skipped, sources.every((report: Answer) => report.ok)]).toEqual([false, true]);
}, 120_000);

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
}, 60_000);

describe("the tools of 003 at a real daemon", () => {
  it("have its names, scopes, parameters, defaults and descriptions, and ours only beside them", async () => {
    const { result } = await rpc("tools/list", {});
    const listed = new Map<string, Answer>(result.tools.map((tool: Answer) => [tool.name, tool]));
    for (const { name, description, inputSchema } of TOOLS_OF_003) {
      const tool = listed.get(name);
      expect(tool?.description, name).toBe(description);
      const { properties, required = [], type } = tool.inputSchema;
      expect({ type, required }, name).toEqual({
        type: "object",
        required: "required" in inputSchema ? inputSchema.required : [],
      });
      const theirs = Object.fromEntries(
        Object.entries(properties).filter(([key]) => !(OURS[name] ?? []).includes(key)),
      );
      expect(theirs, name).toEqual(inputSchema.properties);
      expect(Object.keys(properties), name).toEqual(expect.arrayContaining([...(OURS[name] ?? [])]));
    }
    const { tools } = await json("tool", "list");
    const scopes = Object.fromEntries(tools.map(({ name, scope }: Answer) => [name, scope]));
    expect(scopes).toMatchObject(SCOPES_OF_003);
    for (const name of NEVER) expect([...listed.keys(), ...Object.keys(scopes)]).not.toContain(name);
  });

  it("search, get and get_chunk lead from words to a passage, in the bare form of 003", async () => {
    const { result } = await call("search", { query: "watering tomatoes", limit: 5 });
    expect(Object.keys(result)).toEqual(expect.arrayContaining(["results"]));
    const [first] = result.results;
    expect(first).toMatchObject({
      result_type: "entity",
      title: "Garden",
      source: "garden",
      type: "markdown",
    });
    const [chunk] = first.chunks;
    expect(chunk.chunk_id).toMatch(new RegExp(`^${first.entity_id}:\\d+$`));
    const entity = (await call("get", { entity_id: first.entity_id })).result.entity;
    expect(entity.chunks.map(({ content }: Answer) => content).join("\n")).toContain("every morning");
    const around = (await call("get_chunk", { chunk_id: chunk.chunk_id, context_chunks: 10 })).result;
    expect(around.chunk.chunk_id).toBe(chunk.chunk_id);
    expect(around.entity.entity_id).toBe(first.entity_id);
    expect((await call("get", { entity_id: "nothing" })).error.message).toContain("There is no entity");
    expect((await call("get_chunk", { chunk_id: "nothing:0" })).error.message).toContain("There is no chunk");
    expect((await call("search", { query: "x", cursor: "of my own" })).error).toBeDefined();
  });

  it("page through what fits, each once and never most of a small store, and merge what is remembered", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await call("search", { query: "plant green", limit: 7, ...(cursor && { cursor }) });
      seen.push(...result.results.map(({ title }: Answer) => title));
      cursor = result.next_cursor;
    } while (cursor);
    // Half of the 32 documents that this agent may see, the inbox's included.
    expect(seen.length).toBeLessThanOrEqual(16);
    expect(seen.length).toBeGreaterThan(14);
    expect(new Set(seen).size).toBe(seen.length);
    await call("memory_put", { key: "plants", content: "The green plant is thirsty." });
    const types = ["entity", "memory"];
    const kinds = (
      await call("search", { query: "green thirsty plant", types, limit: 50 })
    ).result.results.map(({ result_type }: Answer) => result_type);
    expect(new Set(kinds)).toEqual(new Set(types));
    const old = await call("search", { query: "thirsty", include_memory: true });
    expect(old.result.results[0]).toMatchObject({ result_type: "memory", key: "plants" });
    const refused = await call("search", { query: "thirsty", types: ["memory"] }, tokens.narrow);
    expect(refused.error.message).toContain("memory.read");
  });

  it("give an MCP client text for its model, structure for programs, and progress of a sync", async () => {
    await using connected = await connectClient(daemon.url, tokens.all!);
    const { client } = connected;
    const found: Answer = await client.callTool({ name: "search", arguments: { query: "tomatoes" } });
    expect(found.content[0].text).toContain("Garden");
    expect(found.structuredContent.results[0].title).toBe("Garden");
    const updates: unknown[] = [];
    const synced: Answer = await client.callTool(
      { name: "sync_run", arguments: { source: "garden" } },
      { onprogress: (update) => updates.push(update) },
    );
    expect(synced.structuredContent).toMatchObject({
      skipped: false,
      sources: [{ source: "garden", ok: true }],
    });
    expect(synced.content[0].text).toContain("31 unchanged");
    expect(updates.length).toBeGreaterThan(0);
  });

  it("inbox_put writes what is found after its sync, with a safe name, and never over anything", async () => {
    const args = {
      content: "Quinces are sour.",
      title: "Fruit",
      filename: "../../etc/pass wd",
      tags: ["Fruit"],
    };
    const first = (await call("inbox_put", { ...args, sync_immediately: true })).result;
    const second = (await call("inbox_put", args)).result;
    expect([first, second]).toEqual([{ name: "etc-pass-wd.md", synced: true }, { name: "etc-pass-wd-2.md" }]);
    expect((await readdir(join(home, "inbox"))).sort()).toEqual(["etc-pass-wd-2.md", "etc-pass-wd.md"]);
    const text = await readFile(join(home, "inbox", "etc-pass-wd.md"), "utf8");
    expect(text).toMatch(
      /^---\ntitle: "Fruit"\ntags: \["fruit"\]\ncreated: .*\nauthor: "reader"\n---\n\nQuinces are sour\.\n$/,
    );
    const { results } = (await call("search", { query: "quinces" })).result;
    expect(results[0]).toMatchObject({ title: "Fruit", source: "inbox", tags: ["fruit"] });
    expect((await call("inbox_put", { content: "x", extension: "exe" })).error.message).toContain(
      "exe files are not text",
    );
  });
});

describe("who sees what", () => {
  it("a labelled source is there for the label's tokens, and for others in no answer of any tool", async () => {
    const found = (await call("search", { query: "zanzibar" }, tokens.labelled)).result.results[0];
    expect(found).toMatchObject({ title: "Diary", source: "diary" });
    const id = found.entity_id;
    const attempts: [string, object][] = [
      ["search", { query: "zanzibar" }],
      ["search", { query: "tomatoes", source: "diary" }],
      ["search", { query: "source:diary tomatoes" }],
      ["get", { entity_id: id }],
      ["get_chunk", { chunk_id: `${id}:0`, context_chunks: 10 }],
      ["sync", { source: "diary" }],
      ["sync_status", {}],
      ["sync_run", {}],
    ];
    const hidden = async (name: string, args: object) => {
      const { result, error } = await call(name, args, tokens.all);
      return withoutCallId(JSON.stringify(result ?? error));
    };
    for (const [name, args] of attempts) {
      const said = await hidden(name, args);
      expect(said, name).not.toMatch(/zanzibar plan|hidden|private|Diary/);
    }
    // What is hidden and what is not there at all are told apart by nothing.
    const said = async (name: string, key: string, args: (value: string) => object, value: string) =>
      (await hidden(name, args(value))).replaceAll(value, key);
    const byId = (value: string) => ({ entity_id: value });
    expect(await said("get", "ID", byId, id)).toBe(await said("get", "ID", byId, "0".repeat(id.length)));
    const bySource = (value: string) => ({ query: "tomatoes", source: value });
    const both = [
      await said("search", "SOURCE", bySource, "diary"),
      await said("search", "SOURCE", bySource, "other"),
    ];
    expect(both[0]).toBe(both[1]);
    const syncing = (value: string) => ({ source: value });
    const refused = await Promise.all(
      ["diary", "other"].map((value) => said("sync", "SOURCE", syncing, value)),
    );
    expect(refused[0]).toBe(refused[1]);
    const { sources } = (await call("sync_status", {})).result;
    expect(sources.map(({ source }: Answer) => source).sort()).toEqual(["garden", "inbox"]);
    const all = (await call("sync_status", {}, tokens.labelled)).result.sources;
    expect(all.map(({ source }: Answer) => source)).toContain("diary");
    // A cursor of who sees more is none for who sees less.
    const { next_cursor } = (await call("search", { query: "tomatoes plant", limit: 1 }, tokens.labelled))
      .result;
    expect(
      (await call("search", { query: "tomatoes plant", limit: 1, cursor: next_cursor })).error,
    ).toBeDefined();
  });

  it("a token has the tools of its scopes and no others", async () => {
    const { result } = await rpc("tools/list", {}, tokens.narrow);
    const names = result.tools
      .map(({ name }: Answer) => name)
      .filter((name: string) => name in SCOPES_OF_003);
    expect(names.sort()).toEqual(["search", "sync", "sync_run", "sync_status"]);
    const { error } = await call("get", { entity_id: "x" }, tokens.narrow);
    expect(error.data.outcome).toBe("not_granted");
  });

  it("viewers see what bears no label, operators everything", async () => {
    const { token } = await json("token", "create", "--admin", "--role", "viewer");
    const get = async (path: string) =>
      (await fetch(new URL(path, daemon.url), { headers: { authorization: `Bearer ${token}` } })).json();
    const names = ((await get("/api/sources")) as Answer).sources.map(({ name }: Answer) => name);
    expect(names.sort()).toEqual(["garden", "inbox"]);
    expect(((await get("/api/search?query=zanzibar")) as Answer).results).toEqual([]);
    expect((await json("search", "zanzibar")).results).toHaveLength(1);
  });

  inDeep("clients on stdio have the tools that clients on HTTP have, and use them", async () => {
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "0" },
    };
    const messages = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      {
        jsonrpc: "2.0",
        id: 3,
        method: "tools/call",
        params: { name: "memory_put", arguments: { key: "door", content: "It is green." } },
      },
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { stdout } = await toolkeep({ home, input, env: { TOOLKEEP_TOKEN: tokens.all! } }, "stdio");
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const listed = answers.find(({ id }) => id === 2).result.tools.map(({ name }: Answer) => name);
    expect(listed).toEqual((await rpc("tools/list", {})).result.tools.map(({ name }: Answer) => name));
    expect(listed).toEqual(expect.arrayContaining(["memory_put", "inbox_put", "sync", "sync_run"]));
    expect(answers.find(({ id }) => id === 3).result.isError ?? false).toBe(false);
    expect(JSON.stringify(await call("memory_get", { key: "door" }))).toContain("It is green.");
  });
});

describe("people at the command line", () => {
  it("see sources, search them and read on, and are told what to do where there is nothing", async () => {
    const list = await cli("source", "list");
    expect(list.stdout).toMatch(/garden\s+folder\s+31/);
    const found = await cli("search", "plant", "--limit", "2");
    expect(found.stdout).toContain("More results: --cursor ");
    const { nextCursor, results } = await json("search", "plant", "--limit", "2");
    const next = await json("search", "plant", "--limit", "2", "--cursor", nextCursor);
    expect(next.results[0].id).not.toBe(results[0].id);
    expect((await cli("search", "number", "green")).stdout).toMatch(/Plant number \d+ is green\./);
    expect((await cli("search", "xyzzy")).stdout).toContain("No results.");
    expect((await cli("sync", "--status")).stdout).toMatch(/garden\s+31/);
    expect((await cli("sync", "nowhere")).code).toBe(3);
    const tried = await cli("source", "test", "folder", join(place.path, "open"));
    expect(tried.stdout).toContain("31 files would be read.");
    expect((await cli("source", "test", "folder", join(place.path, "absent"))).code).toBe(1);
  });

  inDeep("change and remove a source, and nothing of it is found any more", async () => {
    const folder = join(place.path, "more");
    await mkdir(folder);
    await writeFile(join(folder, "a.md"), "# A\n\nAbout walruses.\n");
    await cli("source", "add", "folder", folder, "--name", "more");
    await cli("source", "edit", "more", "--rename", "rest", "--ignore", "b.*");
    await cli("sync", "rest");
    expect((await json("source", "show", "rest")).source).toMatchObject({
      entities: 1,
      config: { ignore: ["b.*"] },
    });
    expect((await json("search", "walruses")).results).toHaveLength(1);
    expect((await cli("source", "remove", "rest", "--yes")).stdout).toContain("Removed rest");
    expect((await json("search", "walruses")).results).toEqual([]);
    expect((await cli("source", "show", "rest")).code).toBe(3);
  });

  it("keep memories, see what they said before, and take them back", async () => {
    const { memory } = await json(
      "memory",
      "put",
      "Deploy on Fridays.",
      "--space",
      "shared",
      "--key",
      "deploy",
    );
    await json("memory", "put", "Deploy on Mondays.", "--space", "shared", "--key", "deploy");
    expect((await cli("memory", "history", memory.id)).stdout).toContain("Deploy on Fridays.");
    expect((await call("memory_get", { key: "deploy" })).result.memory.content).toBe("Deploy on Mondays.");
    expect((await cli("memory", "spaces")).stdout).toMatch(/shared\s+1/);
    await json("memory", "edit", memory.id, "--tag", "ops", "--expires", "30d");
    expect((await cli("memory", "show", memory.id)).stdout).toMatch(/revision 3/);
    expect((await cli("memory", "retract", memory.id)).code).toBe(0);
    expect((await call("memory_get", { key: "deploy" })).result.memory).toBeNull();
    expect((await cli("memory", "retracted")).stdout).toContain("Deploy on Mondays.");
    expect((await cli("memory", "forget", memory.id, "--yes")).code).toBe(0);
    expect((await cli("memory", "history", memory.id)).stdout).toContain("no earlier versions");
  });
});

describe("rules about files", () => {
  it("leave documents of denied files out of every answer, and say how many", async () => {
    const before = (await call("search", { query: "tomatoes" })).result;
    const [found] = before.results;
    expect(found.uri).toMatch(/garden\.md$/);
    const pattern = JSON.stringify({ path: "**/garden.md" });
    for (const action of ["deny", "ask"]) {
      const added = await json("rule", "add", "fs.read", action, "--pattern", pattern, "--agent", "reader");
      const { results, notes } = (await call("search", { query: "tomatoes" })).result;
      expect([results, notes]).toEqual([[], ["1 document left out by rules"]]);
      expect((await call("search", { query: "plant" })).result.results).not.toEqual([]);
      for (const asked of [
        call("get", { entity_id: found.entity_id }),
        call("get_chunk", { chunk_id: found.chunks[0].chunk_id }),
      ])
        expect(JSON.stringify(await asked)).toContain("There is no ");
      await cli("rule", "remove", added.rule.id, "--yes");
    }
    expect((await call("search", { query: "tomatoes" })).result).toEqual(before);
  });
});

function withoutCallId(text: string): string {
  return text.replace(/call_[a-z0-9]+/g, "CALL");
}
