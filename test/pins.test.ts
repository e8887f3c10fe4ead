import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../src/contract/caller.ts";
import { ERRORS } from "../src/contract/errors.ts";
import { EVENT_NAMES } from "../src/contract/events.ts";
import { OUTCOMES, type Tool } from "../src/contract/tool.ts";
import { KNOWLEDGE_MIGRATIONS } from "../src/features/knowledge/index/migrations/index.ts";
import { openIndex } from "../src/features/knowledge/index/open-index.ts";
import { storePartsOf } from "../src/features/open-features.ts";
import { loadedFeatures, openHomeStore as openStore } from "../src/features.ts";
import * as library from "../src/index.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { ALIASES, SETTINGS, type Setting } from "../src/machine/config/schema.ts";
import { settingKeys } from "../src/machine/config/setting-keys.ts";
import { SCHEMA_VERSION } from "../src/machine/db/history/index.ts";
import { allTables } from "../src/machine/db/store-part.ts";
import { mountRpc } from "../src/surfaces/gateway/rpc.ts";
import { mountGateway } from "../src/surfaces/gateway/serve-mcp.ts";
import { apiStructure } from "./support/api-structure.ts";
import { expectPinned } from "./support/pinned.ts";
import { hasPostgres, scopedSchema } from "./support/postgres.ts";
import { openPublicTypes, type PublicTypes } from "./support/public-types.ts";
import { schemaText } from "./support/schema-text.ts";
import { postgresStructure, sqliteStructure } from "./support/store-structure.ts";
import { tempHome } from "./support/temp-home.ts";
import { type TestApi, testApi } from "./support/test-api.ts";

/**
 * What others build on, as literals: changing one of these is a decision, not an accident. `npm run pins` writes the files in
 * `test/pins/` anew. Commands and their options are pinned by `test/surfaces/cli/program.test.ts`, in the same folder.
 */

describe("pinned", () => {
  it("exports of the library", () => {
    expect(Object.keys(library).sort()).toEqual([
      "ERRORS",
      "OUTCOMES",
      "SCOPES",
      "ToolkeepError",
      "aiSdkTools",
      "anthropicTools",
      "createHub",
      "loadSettings",
      "openaiChatTools",
      "openaiResponsesTools",
      "runAnthropicCalls",
      "runOpenaiChatCalls",
      "runOpenaiResponsesCalls",
    ]);
  });

  it("outcomes", () => {
    expect(OUTCOMES).toEqual([
      "ok",
      "failed",
      "timed_out",
      "cancelled",
      "unknown_tool",
      "ambiguous_tool",
      "not_granted",
      "disabled",
      "pending_approval",
      "unavailable",
      "invalid_arguments",
      "denied",
      "needs_approval",
      "needs_input",
      "internal_error",
    ]);
  });

  it("scopes", () => {
    expect(SCOPES.join(" ")).toBe(
      "files shell web human tools admin mcp search get memory.read memory.write sync ingest",
    );
  });

  it("error codes with status and exit code", () => {
    const rows = Object.entries(ERRORS).map(([code, { status, exit }]) => `${code} ${status} ${exit}`);
    expectPinned("errors.txt", `${rows.join("\n")}\n`);
  });

  it("settings: keys with type, default, variable and what a project may do, and what a program reads", async () => {
    await using home = await tempHome();
    const { settings } = await library.loadSettings({
      cwd: home.path,
      env: { TOOLKEEP_HOME: home.path },
      isTrusted: () => false,
    });
    const defaults = flat(settings).map((line) => line.replaceAll(home.path, "HOME"));
    const listed = settingKeys
      .filter(({ key }) => !(key in SETTINGS) && !(key in ALIASES))
      .map(
        ({ key, default: value, env, project }) =>
          `${key} = ${value}  env ${env ?? "none"}  project ${project}`,
      );
    expectPinned(
      "settings.txt",
      [
        ...Object.entries<Setting>(SETTINGS)
          .map(([key, setting]) => settingText(key, setting))
          .sort(),
        ...Object.entries(ALIASES)
          .map(([alias, key]) => `${alias} is ${key}`)
          .sort(),
        "",
        "# in servers and rules",
        ...listed.sort(),
        "",
        "# without any settings file",
        ...defaults.sort(),
        "",
      ].join("\n"),
    );
  });
});

describe("pinned, of a whole hub", () => {
  let api: TestApi;
  let url: string;
  beforeAll(async () => {
    api = await testApi({ agents: { chief: ["all"] } });
    const byName = api.hub.catalog.all().filter(({ wildcard }) => !wildcard);
    await api.hub.identity.updateAgent("chief", { grants: byName.map(({ name }) => name) });
    await api.hub.identity.createAgent("helper", { parent: "chief", toolboxes: ["all"] });
    const { lists } = mountGateway(api.app, api.hub, { log: silentLog, version: "1.2.3" });
    mountRpc(api.app, api.hub, { log: silentLog, lists });
    url = await api.app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  async function listFor(agent: string): Promise<{ name: string }[]> {
    const { token } = await api.hub.identity.createToken({ agent });
    const response = await fetch(`${url}/rpc`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools;
  }

  it("tools/list of every tool that comes with Toolkeep, to the letter", async () => {
    const forMain = await listFor("chief");
    const known = new Set(forMain.map(({ name }) => name));
    const forSubAgents = (await listFor("helper")).filter(({ name }) => !known.has(name));
    const listed = [...forMain, ...forSubAgents];
    const usable = api.hub.catalog.all().filter((tool) => tool.status().kind !== "planned");
    expect(listed.map(({ name }) => name).sort()).toEqual(usable.map(({ name }) => name));
    expectPinned("tools.json", `${JSON.stringify({ main: forMain, "sub-agents": forSubAgents }, null, 2)}\n`);
  });

  it("what else the contract says of each of them: scope, capabilities, floor, wildcard …", () => {
    expectPinned(
      "tool-traits.txt",
      api.hub.catalog
        .all()
        .map((tool) => `${traitsOf(tool)}\n`)
        .join(""),
    );
  });

  it("built-in toolboxes", async () => {
    const { toolboxes } = (await api.request("GET", "/api/toolboxes")).body;
    const lines = toolboxes.flatMap(({ name, tools }: { name: string; tools: readonly string[] }) => [
      name,
      ...tools.map((tool) => `  ${tool}`),
    ]);
    expectPinned("toolboxes.txt", `${lines.join("\n")}\n`);
  });

  it("the API: routes, roles, parameters, requests and answers", async () => {
    expectPinned("api.txt", apiStructure((await api.request("GET", "/api/openapi.json")).body));
  });
});

describe("pinned, as the compiler sees it", () => {
  let types: PublicTypes;
  beforeAll(() => {
    types = openPublicTypes();
  });
  afterAll(() => types[Symbol.dispose]());

  it("exports of the package", async () => {
    const lines: string[] = [];
    for (const entry of types.entries) {
      const values = Object.keys(await import(types.sourceOf(entry))).map((name) => `  value ${name}`);
      const shapes = [...types.typesOf(entry)].map(([name, shape]) => `  type ${name} ${shape}`);
      lines.push(entry, ...values.sort(), ...shapes.sort());
    }
    expectPinned("exports.txt", `${lines.join("\n")}\n`);
  });

  it("events and what they carry", () => {
    const events = types.membersOf(".", "EventMap");
    expect([...events.keys()].sort()).toEqual([...EVENT_NAMES].sort());
    const lines = [...events].map(([name, payload]) => `${name} { ${payload} }\n`);
    expectPinned("events.txt", lines.sort().join(""));
  });
});

describe("pinned, of the store", () => {
  it("steps of the index of knowledge", () => {
    expect(KNOWLEDGE_MIGRATIONS.map(({ name }) => name)).toEqual(["0001-index", "0002-sweeping"]);
  });

  it("tables and columns of the store", async () => {
    const parts = storePartsOf(await loadedFeatures());
    const tables = allTables(parts).map(({ name, columns }) => {
      const shown = Object.entries(columns).map(([column, type]) => `  ${column}: ${type}`);
      return [name, ...shown].join("\n");
    });
    expectPinned("store.txt", `version ${SCHEMA_VERSION}\n${tables.sort().join("\n")}\n`);
  });

  it("both databases on SQLite, with indexes and triggers", async () => {
    await using home = await tempHome();
    const place = { home: home.path, databaseUrl: null, clock: systemClock };
    await (await openStore(place)).close();
    await (await openIndex(place)).close();
    expectPinned("store-sqlite.sql", await sqliteStructure(home.path, "toolkeep.db"));
    expectPinned("knowledge-sqlite.sql", await sqliteStructure(home.path, "knowledge.db"));
  });

  it.runIf(hasPostgres())(
    "both on PostgreSQL, with constraints, indexes, triggers and functions",
    async () => {
      await using forStore = await scopedSchema();
      await using forIndex = await scopedSchema();
      await (await openStore({ home: "", databaseUrl: forStore.url, clock: systemClock })).close();
      await (await openIndex({ home: "", databaseUrl: forIndex.url, clock: systemClock })).close();
      expectPinned("store-postgres.txt", await postgresStructure(forStore.url));
      expectPinned("knowledge-postgres.txt", await postgresStructure(forIndex.url));
    },
  );
});

function settingText(key: string, { schema, default: unset, env, project, restart }: Setting): string {
  const type = schemaText(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }), {
    hasBounds: true,
  });
  const policy = typeof project === "string" ? project : `only ${project.only}`;
  const parts = [`${key}: ${type} = ${JSON.stringify(unset)}`, `env ${env ?? "none"}`, `project ${policy}`];
  return [...parts, ...(restart ? ["restart"] : [])].join("  ");
}

/** `mcp.enabled = true`, one line for each value that is no object. */
function flat(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [`${path} = ${JSON.stringify(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${path} = {}`];
  return entries.flatMap(([key, inner]) => flat(inner, path === "" ? key : `${path}.${key}`));
}

/** Every field of the contract but texts and schemas, which are in its list; of functions, that they are there. */
function traitsOf({
  name,
  title: _title,
  description: _description,
  inputSchema: _in,
  outputSchema: _out,
  ...rest
}: Tool): string {
  const { run: _run, published: _published, status, ...others } = rest;
  const traits = Object.entries(others)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => (typeof value === "function" ? `${key}()` : `${key}=${JSON.stringify(value)}`));
  return [name, `status=${status().kind}`, ...traits.sort()].join(" ");
}
