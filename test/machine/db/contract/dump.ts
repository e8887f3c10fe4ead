import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { customTools } from "../../../../src/features/custom-tools/tables.ts";
import { memoryStore } from "../../../../src/features/knowledge/memory/memory-store.ts";
import { SourceTable } from "../../../../src/features/knowledge/tables.ts";
import { plugins } from "../../../../src/features/plugins/tables.ts";
import { Records } from "../../../../src/machine/db/query/records.ts";
import type { Store, StoreDump } from "../../../../src/machine/db/store.ts";
import { openServerTables } from "../../../../src/servers/tables/server-tables.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { projectStores } from "../../../support/project-stores.ts";
import { taskStores } from "../../../support/task-stores.ts";
import { todoLists } from "../../../support/todo-lists.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import {
  activation,
  agent,
  call,
  consent,
  consentKey,
  NOW,
  person,
  question,
  secretRecord,
  server,
  source,
  token,
  toolbox,
} from "../records.ts";
import type { FreshStore } from "../stores.ts";
import { memory } from "./memories.ts";
import { pin } from "./pins.ts";
import { comment, note, project, ticket } from "./projects.ts";
import { storedRule } from "./rules.ts";

/** A few rows of every table. */
export async function fill(store: Store): Promise<void> {
  // The child sorts before its parent.
  await accessTables(store).agents.create(agent("zoe", { folders: [{ path: "/a", access: "read" }] }));
  await accessTables(store).agents.create(agent("child", { parentId: "agt_zoe" }));
  await accessTables(store).tokens.create(
    token("tok_1", { kind: "agent", agentId: "agt_zoe", scopes: ["files"] }),
  );
  await accessTables(store).consents.create(consent("con_1", { agentId: "agt_zoe" }), consentKey("code"));
  await accessTables(store).consents.use("code", NOW, {
    token: token("tok_0", { kind: "agent", agentId: "agt_zoe", consentId: "con_1", resource: "/mcp" }),
    refresh: null,
    expiresAt: NOW + 1,
  });
  await accessTables(store).people.create(person("eve"));
  await accessTables(store).toolboxes.create(toolbox("mine"));
  await callTables(store).toolUses.add("agt_zoe", ["mail"], "mcp_fs_read", NOW, 10);
  await openServerTables(store.database).servers.create(
    server("fs", { sealed: Uint8Array.of(0, 1, 254, 255), enabled: false, auth: Uint8Array.of(7) }),
  );
  await openServerTables(store.database).servers.replaceTools("srv_fs", [
    { serverId: "srv_fs", originalName: "read", definition: { a: 1 } },
  ]);
  await openServerTables(store.database).servers.replaceOffers("srv_fs", [
    { serverId: "srv_fs", kind: "prompt", definition: { name: "review" } },
  ]);
  await openServerTables(store.database).pins.change(
    "srv_fs",
    [pin("read", { held: "b", heldAs: { a: 2 }, acceptedAs: { a: 1 } })],
    [],
  );
  await openServerTables(store.database).toolCapabilities.put({
    serverId: "srv_fs",
    originalName: "read",
    capabilities: ["net"],
    setAt: NOW,
  });
  await openServerTables(store.database).toolNames.add([
    { serverId: "srv_fs", originalName: "read", name: "mcp_fs_read" },
  ]);
  await trustStores(store).secrets.put(secretRecord("KEY"));
  await trustStores(store).vaultKey.claim(Uint8Array.of(5), NOW);
  await trustStores(store).claims.take("once", NOW);
  await trustStores(store).questions.create(question("q1"));
  await trustStores(store).notifications.create({
    id: "n1",
    agentId: null,
    level: "warning",
    title: "é",
    body: "東京",
    createdAt: NOW,
    dismissedAt: null,
  });
  await taskStores(store).tasks.create({
    id: "t1",
    agentId: "agt_child",
    title: "x",
    instructions: "y",
    status: "open",
    note: "",
    assignedBy: "agt_zoe",
    createdAt: NOW,
    updatedAt: NOW,
  });
  await todoLists(store).put("agt_zoe", "c1", [{ text: "x", status: "done" }], NOW);
  await trustStores(store).contentLabels.put([{ id: "mem_1", labels: ["a"], labelledAt: NOW }]);
  await trustStores(store).labels.put({
    agentId: "agt_zoe",
    conversation: "c1",
    labels: ["a"],
    labelledAt: NOW,
  });
  await trustStores(store).rules.create(storedRule("dumped", { agentId: "agt_zoe" }));
  await accessTables(store).activations.put([activation("mcp_fs_read", { agentId: "agt_zoe" })]);
  await taskStores(store).messages.create({
    id: "m1",
    fromAgentId: "agt_child",
    toAgentId: "agt_zoe",
    text: "hi",
    createdAt: NOW,
    readAt: null,
  });
  await memoryStore(store.database).create(memory("mem_1", { agentId: "agt_zoe" }), 10);
  await memoryStore(store.database).update("mem_1", { metadata: { a: [1] } }, { at: NOW, by: "zoe" });
  await callTables(store).attachments.create({
    id: "f1",
    agentId: "agt_zoe",
    conversation: "c1",
    name: "a.txt",
    mimeType: "text/plain",
    bytes: 3,
    path: "f1/a.txt",
    note: "",
    createdAt: NOW,
  });
  await callTables(store).audit.append({
    chain: {
      ...{ id: "chn_1", keyId: "k", label: "h", mac: "m" },
      createdAt: NOW,
      prunedSeq: 0,
      prunedMac: "",
    },
    calls: [],
    entries: [
      {
        ...{ chain: "chn_1", seq: 1, mac: "m", kind: "k", at: NOW },
        actor: null,
        subject: null,
        details: "{}",
      },
    ],
  });
  await callTables(store).audit.addKey({ id: 1, sealed: Uint8Array.of(7) }, NOW);
  await callTables(store).calls.put([call("c1"), call("c2", { tool: null, outcome: null })]);
  await trustStores(store).trust.put("/p", "abc", NOW);
  await new Records(store.database, customTools).put({
    slug: "weather",
    sha256: "abc",
    manifest: { run: "weather.sh" },
    enabledBy: "operator",
    enabledAt: NOW,
  });
  await new Records(store.database, plugins).put({
    name: "clock",
    packageName: "toolkeep-plugin-clock",
    version: "1.0.0",
    description: "tells the time",
    source: { kind: "npm", spec: "toolkeep-plugin-clock@1.0.0" },
    sha256: "abc",
    permissions: { network: [] },
    enabled: true,
    agreed: { sha256: "abc", permissions: { network: [] }, trusted: false, at: NOW },
    tools: [{ name: "plugin_clock_now" }],
    createdAt: NOW,
    updatedAt: NOW,
  });
  await new SourceTable(store.database).create(source("notes", { lastSync: { seen: 2 } }));
  await projectStores(store).projects.create(project("TK"));
  await projectStores(store).tickets.create(ticket("t1", { assigneeId: "agt_zoe", labels: ["ui"] }));
  await projectStores(store).tickets.comment(comment("c1"));
  await projectStores(store).projectNotes.create(note("n1"));
}

export function dumpContract(fresh: FreshStore): void {
  test("a dump has rows of every table, survives JSON, and loads into an equal store", async () => {
    await using from = await fresh();
    await using to = await fresh();
    await fill(from.store);
    const dump = await from.store.dump();
    expect(Object.entries(dump.tables).filter(([, rows]) => rows.length === 0)).toEqual([]);

    await accessTables(to.store).agents.create(agent("replaced"));
    const before = await to.store.revision();
    await to.store.load(JSON.parse(JSON.stringify(dump)));

    expect(await to.store.dump()).toEqual(dump);
    expect(await openServerTables(to.store.database).servers.byName("fs")).toEqual(
      await openServerTables(from.store.database).servers.byName("fs"),
    );
    expect(await to.store.revision()).toBeGreaterThan(before);
  });

  test("a dump of version 1 loads, with defaults for what came later", async () => {
    await using from = await fresh();
    await using to = await fresh();
    await fill(from.store);
    const { serverOffers: _, ...tables } = (await from.store.dump()).tables;
    const servers = tables.servers!.map(({ asksBack: _asksBack, auth: _auth, ...row }) => row);
    await to.store.load({ schemaVersion: 1, tables: { ...tables, servers } });
    expect(await openServerTables(to.store.database).servers.byName("fs")).toEqual({
      ...(await openServerTables(from.store.database).servers.byName("fs")),
      asksBack: false,
      auth: null,
    });
    expect(await openServerTables(to.store.database).servers.offers()).toEqual([]);
  });

  test("a dump is of one moment while others write", async () => {
    await using t = await fresh();
    const other = await t.another();
    let writing = true;
    const writes = (async () => {
      for (let index = 0; writing; index++) {
        await accessTables(other).agents.create(agent(`a${index}`));
        await accessTables(other).tokens.create(
          token(`t${index}`, { kind: "agent", agentId: `agt_a${index}` }),
        );
        // SQLite answers without leaving the microtask queue: without a pause the dump would never get its turn.
        await setImmediate();
      }
    })();
    try {
      for (let round = 0; round < 5; round++) {
        const { agents = [], tokens = [] } = (await t.store.dump()).tables;
        const known = new Set(agents.map((row) => row.id));
        expect(tokens.every((row) => known.has(row.agentId))).toBe(true);
        expect(agents.length - tokens.length).toBeLessThanOrEqual(1);
      }
    } finally {
      writing = false;
      await writes;
    }
  });

  test("a dump of a later version is refused and changes nothing", async () => {
    await using t = await fresh();
    await accessTables(t.store).agents.create(agent("ada"));
    const dump = await t.store.dump();
    const later = { ...dump, schemaVersion: dump.schemaVersion + 1 };
    await expect(t.store.load(later)).rejects.toMatchObject({ code: "STORE_NEWER" });
    expect(await t.store.dump()).toEqual(dump);
  });

  test("what does not fit the tables is refused whole", async () => {
    await using t = await fresh();
    await fill(t.store);
    const dump = await t.store.dump();
    const [zoe] = dump.tables.agents!;
    const broken: [string, unknown][] = [
      ["no tables", {}],
      ["no version", { tables: {} }],
      ["an unknown table", { ...dump, tables: { ...dump.tables, users: [] } }],
      ["an inherited name as table", { ...dump, tables: { constructor: [] } }],
      ["rows that are no list", { ...dump, tables: { agents: {} } }],
      ["a row that is no object", { ...dump, tables: { agents: ["x"] } }],
      ["an unknown column", { ...dump, tables: { agents: [{ ...zoe, admin: 1 }] } }],
      ["a value of another kind", { ...dump, tables: { agents: [{ ...zoe, name: 7 }] } }],
      ["text that is no JSON where JSON belongs", { ...dump, tables: { agents: [{ ...zoe, grants: "[" }] } }],
      ["a missing value", { ...dump, tables: { agents: [{ id: "a" }] } }],
      ["a null where none may be", { ...dump, tables: { agents: [{ ...zoe, name: null }] } }],
      ["a key twice", { ...dump, tables: { agents: [zoe, zoe] } }],
      ["a reference to nothing", { ...dump, tables: { tokens: dump.tables.tokens } }],
    ];
    for (const [what, input] of broken) {
      const loading = t.store.load(input as StoreDump);
      await expect(loading, what).rejects.toMatchObject({ code: expect.stringMatching(/^BACKUP_INVALID$/) });
    }
    expect(await t.store.dump()).toEqual(dump);
  });
}
