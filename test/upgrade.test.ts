import { readdirSync, readFileSync } from "node:fs";
import { chmod, cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHub, type Hub } from "../src/index.ts";
import { openDatabaseSync } from "../src/machine/db/sqlite/database-sync.ts";
import { callTables } from "./support/call-tables.ts";
import { tempHome } from "./support/temp-home.ts";

const HOMES = join(import.meta.dirname, "homes");
const ONE_HOUR = 3_600_000;

/** What `scripts/record-home.mjs` put into each, by whichever version. */
describe.each(readdirSync(HOMES))("a home of version %s", (version) => {
  it("opens for its old token with all that is in it, twice, and its audit goes on unbroken", async () => {
    await using home = await homeOf(version);
    for (const hours of [1, 2]) {
      const hub = await openHub(home.path, version, hours);
      try {
        await expectEverything(hub, aboutOf(version).token);
      } finally {
        await hub.close();
      }
    }
  });

  it("keeps agents, people, rules, toolboxes, servers and questions", async () => {
    await using home = await homeOf(version);
    const hub = await openHub(home.path, version, 1);
    try {
      expect(hub.identity.agent("ada")).toMatchObject({
        toolboxes: ["all", "mine"],
        grants: ["list_agents"],
        model: "some-model",
      });
      expect(hub.identity.agent("helper")).toMatchObject({ parentId: hub.identity.agent("ada").id });
      expect(hub.people.person("grace")).toMatchObject({ role: "operator" });
      expect(hub.ruleBook.list()).toMatchObject([
        { permission: "native:run_shell", action: "deny", createdBy: "grace", note: "no shell" },
      ]);
      expect(hub.catalog.toolboxes.get("mine")).toMatchObject({ tools: ["http_request", "recall"] });
      expect(hub.upstream.server("quarry")).toMatchObject({
        command: "quarry-server",
        args: ["--deep"],
        envKeys: ["QUARRY_KEY"],
        enabled: false,
      });
      expect(await hub.questions.list({ state: "pending" })).toMatchObject([{ prompt: "Stone or wood?" }]);
    } finally {
      await hub.close();
    }
  });
});

async function expectEverything(hub: Hub, token: string): Promise<void> {
  const who = hub.identity.authenticate(token);
  if (typeof who === "string" || who.kind !== "agent") throw new Error(`the token is ${JSON.stringify(who)}`);
  const caller = hub.identity.callerFor(who.agent, {
    tokenId: who.tokenId,
    scopes: who.scopes,
    conversation: "old",
  });
  const call = async (name: string, args: object = {}) => {
    const { outcome, text } = await hub.callTool({ name, arguments: args, caller, via: "library" });
    return `${outcome}: ${text}`;
  };
  expect(await hub.vault.read("API_KEY")).toEqual({ ok: true, value: "a value from before" });
  expect(await call("memory_get", { key: "colour" })).toContain("The colour is teal.");
  expect(await call("get_ticket", { ticket: "BRI-1" })).toContain("Lay the first stone");
  expect(await call("read_file", { path: "plan.txt" })).toContain("Begin at the bank.");
  expect(await call("task_todos")).toContain("Measure the river");
  expect(await call("list_tasks")).toContain("Count the stones");
  expect(await call("search", { query: "granite" })).toContain("Granite lasts longest");
  expect(await call("run_shell", { command: "true" })).toMatch(/^not_granted: .* lacks the scope shell/);
  const shell = { name: "run_shell", arguments: { command: "true" }, via: "library" as const };
  expect(await hub.callTool({ ...shell, caller: { ...caller, scopes: null } })).toMatchObject({
    outcome: "denied",
    text: expect.stringContaining("native:run_shell → deny"),
  });

  hub.audit.checks.start();
  expect((await hub.audit.checks.ended())?.result).toMatchObject({ findings: [] });
  await hub.audit.flush();
  const opened = await callTables(hub.store).audit.list({ limit: 10, kind: "opened", order: "oldest" });
  const reasons = opened.map(({ details }) => JSON.parse(details).reason);
  expect([reasons[0], ...new Set(reasons.slice(1))]).toEqual(["new", "continued"]);
}

function aboutOf(version: string): { token: string; recordedAt: number } {
  return JSON.parse(readFileSync(join(HOMES, version, "about.json"), "utf8"));
}

/** Shortly after it was recorded: nothing in it is too old to be kept. */
function openHub(home: string, version: string, hours: number): Promise<Hub> {
  const start = aboutOf(version).recordedAt + hours * ONE_HOUR - Date.now();
  const env = { PATH: process.env.PATH ?? "", HOME: home, TOOLKEEP_HOME: home };
  return createHub({ home, env, clock: () => start + Date.now() });
}

/** Such a home as files, the databases made of their SQL. */
async function homeOf(version: string): Promise<{ path: string } & AsyncDisposable> {
  const home = await tempHome();
  await cp(join(HOMES, version), home.path, { recursive: true });
  for (const name of readdirSync(home.path).filter((each) => each.endsWith(".sql"))) {
    const file = join(home.path, name);
    const database = await openDatabaseSync(file.replace(/sql$/, "db"));
    database.exec(`pragma foreign_keys = off; begin; ${await readFile(file, "utf8")} commit;`);
    database.close();
    await rm(file);
  }
  // Git keeps no modes.
  await chmod(join(home.path, "key"), 0o600);
  return home;
}
