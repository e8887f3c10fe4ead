// Makes test/homes/VERSION: a home as this version leaves it, which every later version has to open (test/upgrade.test.ts).
// Run it once before a release, never again for the same version. Databases are kept as SQL, everything else as it is.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";

chdir(fileURLToPath(new URL("..", import.meta.url)));
await import("./build.mjs");
// The audit names the machine that wrote it.
os.hostname = () => "an-old-machine";
syncBuiltinESMExports();

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const target = join("test/homes", version);
if (existsSync(target)) throw new Error(`${target} is there already, and stays as it is`);

const { createHub } = await import("../dist/index.js");
const { openDatabaseSync } = await import("../dist/machine/db/sqlite/database-sync.js");
const home = mkdtempSync(join(tmpdir(), "toolkeep-home-"));
try {
  writeFileSync(
    join(home, "config.json"),
    `${JSON.stringify({ embeddings: { provider: "off" }, default_rules: false, questions: { wait_ms: 0 } }, null, 2)}\n`,
  );
  const token = await fill();
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(home)) {
    if (/\.db-(?:shm|wal)$|lock/.test(name)) continue;
    if (name.endsWith(".db")) await writeSql(join(home, name), join(target, name.replace(/db$/, "sql")));
    else cpSync(join(home, name), join(target, name), { recursive: true });
  }
  writeFileSync(
    join(target, "about.json"),
    `${JSON.stringify({ token, recordedAt: Date.now() }, null, 2)}\n`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** One of everything that a home keeps, through the hub; what `test/upgrade.test.ts` looks for. */
async function fill() {
  const hub = await createHub({ home, env: { PATH: process.env.PATH, HOME: home, TOOLKEEP_HOME: home } });
  try {
    await hub.catalog.toolboxes.create("mine", {
      description: "Of my own.",
      tools: ["recall", "http_request"],
    });
    await hub.identity.createAgent("ada", {
      toolboxes: ["all", "mine"],
      grants: ["list_agents"],
      model: "some-model",
    });
    await hub.identity.createAgent("helper", { parent: "ada", toolboxes: ["code"] });
    const { token } = await hub.identity.createToken({
      agent: "ada",
      label: "old",
      scopes: ["files", "tools", "memory.read", "memory.write", "search", "get", "ingest", "sync", "human"],
    });
    await hub.people.add("grace", "operator");
    await hub.vault.put("API_KEY", "a value from before");
    await hub.ruleBook.add({
      permission: "native:run_shell",
      action: "deny",
      createdBy: "grace",
      note: "no shell",
    });
    const caller = hub.identity.callerFor(hub.identity.agent("ada"), {
      tokenId: null,
      scopes: null,
      conversation: "old",
    });
    const call = async (name, args) => {
      const { outcome, text } = await hub.callTool({ name, arguments: args, caller, via: "library" });
      if (outcome !== "ok") throw new Error(`${name}: ${outcome}: ${text}`);
    };
    await call("memory_put", { key: "colour", content: "The colour is teal." });
    await call("create_project", { name: "Bridge", key: "BRI", description: "Over the river." });
    await call("create_ticket", { project: "BRI", title: "Lay the first stone" });
    await call("write_file", { path: "plan.txt", content: "Begin at the bank.\n" });
    await call("task_todos", { items: [{ text: "Measure the river", status: "pending" }] });
    await call("notify", { title: "Begun", body: "The bridge was begun." });
    await call("create_task", { agent: "helper", title: "Count the stones", instructions: "All of them." });
    await call("inbox_put", {
      title: "Stones",
      content: "Granite lasts longest.",
      filename: "stones",
      sync_immediately: true,
    });
    await hub.callTool({
      name: "prompt_human",
      arguments: { question: "Stone or wood?" },
      caller,
      via: "library",
    });
    await hub.upstream.add("quarry", {
      command: "quarry-server",
      args: ["--deep"],
      env: { QUARRY_KEY: "sealed before" },
      enabled: false,
    });
    return token;
  } finally {
    await hub.close();
  }
}

/** The tables with their rows, and then the indexes. */
async function writeSql(file, into) {
  const database = await openDatabaseSync(file);
  try {
    const parts = database
      .prepare(
        "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type desc, name",
      )
      .all();
    const lines = parts
      .filter(({ type }) => type === "table")
      .flatMap(({ name, sql }) => [`${sql};`, ...rowsOf(database, name)]);
    const others = parts.filter(({ type }) => type !== "table").map(({ sql }) => `${sql};`);
    writeFileSync(into, `${[...lines, ...others].join("\n")}\n`);
  } finally {
    database.close();
  }
}

function rowsOf(database, table) {
  return database
    .prepare(`select * from "${table}"`)
    .all()
    .map((row) => {
      const columns = Object.keys(row).map((column) => `"${column}"`);
      return `insert into "${table}" (${columns.join(", ")}) values (${Object.values(row).map(literal).join(", ")});`;
    });
}

function literal(value) {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
