import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestApi, testApi } from "../../../../support/test-api.ts";
import { trustStores } from "../../../../support/trust-stores.ts";
import { typed } from "../../../../support/typed.ts";

let api: TestApi;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolkeep-rules-"));
  api = await testApi({
    agents: { coder: ["all"], other: ["all"] },
    rules: [{ permission: "read_file", action: "ask" }],
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const explained = (args: object, ...more: string[]) =>
  typed(api, [
    "rule",
    "explain",
    "--tool",
    "read_file",
    "--agent",
    "coder",
    "--args",
    JSON.stringify(args),
    ...more,
  ]);

async function fileWith(value: object): Promise<string> {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  await writeFile(file, JSON.stringify(value));
  return file;
}

describe("toolkeep rule", () => {
  it("adds a rule that counts at once, lists it and removes it", async () => {
    const added = await typed(api, [
      ...["rule", "add", "read_file", "allow", "--pattern", "docs/**", "--agent", "coder"],
      ...["--note", "harmless", "--for", "8h", "--json"],
    ]);
    const { rule } = JSON.parse(added.out);
    expect(rule).toMatchObject({ agent: "coder", pattern: "docs/**", from: "agent", where: "stored" });
    expect((await api.call("read_file", { path: "docs/a" }, "coder")).outcome).toBe("failed");
    expect((await api.call("read_file", { path: "src/a" }, "coder")).outcome).toBe("needs_approval");
    expect((await api.call("read_file", { path: "docs/a" }, "other")).outcome).toBe("needs_approval");
    expect((await typed(api, ["rule", "list"])).out).toMatch(/read_file +docs\/\*\* +allow .*harmless/);
    const own = await typed(api, ["rule", "list", "--agent", "coder", "--json"]);
    expect(JSON.parse(own.out).rules).toHaveLength(1);
    expect((await typed(api, ["rule", "remove", rule.id, "--yes"])).out).toBe(`Removed ${rule.id}.\n`);
    expect((await typed(api, ["rule", "remove", rule.id, "--yes"])).code).toBe(3);
  });

  it("says so where nothing is what a rule is about", async () => {
    const unknown = await typed(api, ["rule", "add", "fs.wirte", "deny"]);
    expect(unknown).toMatchObject({ code: 0, out: expect.stringContaining("It matches no current tool.") });
    const known = await typed(api, ["rule", "add", "fs.write", "ask"]);
    expect(known.out).not.toContain("It matches no");
    for (const { out } of [unknown, known])
      await typed(api, ["rule", "remove", /Added (\S+),/.exec(out)![1]!, "--yes"]);
  });

  it("says what is wrong with a rule", async () => {
    const refused = (...args: string[]) => typed(api, ["rule", "add", ...args]);
    expect((await refused("x", "permit")).err).toContain('action: expected one of "allow", "ask", "deny"');
    expect((await refused("x", "deny", "--pattern", '{"pth": "a"}')).err).toContain(
      "pattern: expected a glob",
    );
    expect((await refused("x", "deny", "--pattern", "{pth")).err).toContain(
      "--pattern must be a JSON object",
    );
    expect((await refused("x", "allow", "--final")).err).toContain("only with the action deny");
    expect((await refused("x", "deny", "--agent", "nobody")).code).toBe(3);
  });

  it("explains which rule decides, why others lost, and what would change it", async () => {
    const { out } = await typed(api, [
      "rule",
      "add",
      "native:read_*",
      "deny",
      "--pattern",
      '{"path": "**/.env"}',
      "--json",
    ]);
    const { id } = JSON.parse(out).rule;
    const asked = await explained({ path: "a/../b" });
    expect(asked.out).toMatch(/decision: +ask\n/);
    expect(asked.out).toMatch(/rule: +read_file → ask\n/);
    expect(asked.out).toMatch(/from: +user, .*config\.json\n/);
    expect(asked.out).toContain(`(user, ${id}): its pattern matches nothing in this call`);
    expect(asked.out).toContain("toolkeep rule add read_file deny --agent coder");
    const lost = JSON.parse((await explained({ path: "x/.env" }, "--json")).out);
    expect(lost.others[0]).toMatchObject({ matched: true, why: "its permission is less specific" });
    expect(lost.changes.map(({ action }: { action: string }) => action)).toEqual(["allow", "deny"]);
    for (const change of lost.changes) {
      const added = await api.request("POST", "/api/rules", change);
      expect(JSON.parse((await explained({ path: "x/.env" }, "--json")).out).action).toBe(change.action);
      await api.request("DELETE", `/api/rules/${added.body.rule.id}`);
    }
    await api.request("DELETE", `/api/rules/${id}`);
    expect((await typed(api, ["rule", "explain", "--tool", "no_such"])).code).toBe(3);
    expect((await typed(api, ["rule", "explain", "--tool", "read_file"])).out).toContain(
      "the operator is never asked",
    );
  });

  it("explains a call as it would be after a label", async () => {
    const { body } = await api.request("POST", "/api/rules", {
      ...{ permission: "read_file", action: "deny", after: "untrusted_content" },
    });
    expect((await explained({ path: "a" })).out).toContain("does not have the label untrusted_content");
    const after = await explained({ path: "a" }, "--after", "untrusted_content", "--json");
    expect(JSON.parse(after.out)).toMatchObject({
      action: "deny",
      rule: { id: body.rule.id },
      hidden: false,
    });
    await api.request("DELETE", `/api/rules/${body.rule.id}`);
  });

  it("checks a file of rules against its cases, and fails where one is wrong", async () => {
    const rules = [
      { permission: "run_shell", action: "ask" },
      { permission: "run_shell", pattern: "git *", action: "allow", agent: "coder" },
      { permission: "net", after: "seen", action: "deny" },
    ];
    const call = (command: string) => ({ tool: "run_shell", args: { command }, agent: "coder" });
    const cases = [
      { ...call("git status"), expect: "allow" },
      { ...call("git status; rm x"), expect: "ask" },
      { ...call("git status"), agent: "other", expect: "ask" },
      { tool: "mcp:web:get", capabilities: ["net"], after: ["seen"], expect: "deny" },
      { tool: "mcp:web:get", capabilities: ["net"], expect: "allow" },
    ];
    const right = await typed(api, ["rule", "test", await fileWith({ rules, cases })]);
    expect(right).toMatchObject({ code: 0, out: "5 cases, 0 wrong.\n" });
    const wrong = await fileWith({ rules, cases: [{ ...call("rm x"), expect: "deny" }] });
    expect(await typed(api, ["rule", "test", wrong])).toMatchObject({
      code: 1,
      out: "  run_shell: expected deny, got ask (user: run_shell → ask)\n1 case, 1 wrong.\n",
    });
    const scoped = await fileWith({
      home: "/home/ada",
      workspace: "/srv/desk",
      rules: [
        { permission: "write_file", action: "allow" },
        { permission: "write_file", pattern: { path: "~/.ssh/**" }, action: "deny", project: true },
        { permission: "write_file", action: "ask", agent: "coder", conversation: "c1" },
        { permission: "mcp:x:put", pattern: { path: "/srv/desk/**" }, action: "ask" },
      ],
      cases: [
        { tool: "write_file", args: { path: "/home/ada/.ssh/id" }, expect: "deny" },
        { tool: "write_file", args: { path: "a" }, agent: "coder", expect: "allow" },
        { tool: "write_file", args: { path: "a" }, agent: "coder", conversation: "c1", expect: "ask" },
        { tool: "mcp:x:put", args: { where: "b" }, expect: "allow" },
        {
          tool: "mcp:x:put",
          args: { where: "b" },
          schema: { properties: { where: { type: "string", format: "path" } } },
          expect: "ask",
        },
      ],
    });
    expect(await typed(api, ["rule", "test", scoped])).toMatchObject({ out: "5 cases, 0 wrong.\n" });
    const broken = await fileWith({ rules: [{ permission: "x", action: "maybe" }] });
    expect((await typed(api, ["rule", "test", broken])).err).toContain("rules[0].action: expected one of");
    expect((await typed(api, ["rule", "test", join(folder, "absent.json")])).code).toBe(3);
  });

  it("lists and clears what conversations have come in touch with", async () => {
    const agentId = api.hub.identity.agent("coder").id;
    const seen = { agentId, labels: ["untrusted_content"], labelledAt: Date.now() };
    await trustStores(api.hub.store).labels.put({ ...seen, conversation: "c1" });
    await trustStores(api.hub.store).labels.put({ ...seen, conversation: "(any call)" });
    await api.hub.reload();
    const { out } = await typed(api, ["rule", "labels", "--agent", "coder"]);
    expect(out).toMatch(/coder +c1 +untrusted_content/);
    expect(out).toContain("all calls with its token");
    const cleared = await typed(api, ["rule", "clear-labels", "--agent", "coder", "--yes"]);
    expect(cleared.out).toBe("Cleared the labels of 1 conversation.\n");
    expect((await typed(api, ["rule", "labels"])).out).toBe("No conversation has labels.\n");
  });

  it("replays the audit against other rules", async () => {
    await api.call("list_directory", { path: "." }, "coder");
    await api.call("list_directory", { path: "secret" }, "coder");
    await api.hub.audit.flush();
    const file = await fileWith({
      rules: [{ permission: "list_directory", pattern: { path: "secret" }, action: "deny" }],
    });
    const said = await typed(api, ["rule", "simulate", "--rules", file, "--since", "1h", "--json"]);
    const { differing } = JSON.parse(said.out);
    expect(differing).toContainEqual(
      expect.objectContaining({ tool: "list_directory", before: "allow", after: "deny", unsure: null }),
    );
    expect(differing.filter(({ tool }: { tool: string }) => tool === "list_directory")).toHaveLength(1);
    // Without the rule of the settings file, what asked then would run.
    expect(differing).toContainEqual(
      expect.objectContaining({ tool: "read_file", before: "ask", after: "allow" }),
    );
    const cut = await typed(api, ["rule", "simulate", "--rules", file, "--limit", "1"]);
    expect(cut.out).toContain("Older calls were not checked.");
    const shown = await typed(api, ["rule", "simulate", "--rules", file]);
    expect(shown.out).toContain("allow → deny");
    expect((await typed(api, ["rule", "simulate", "--rules", await fileWith({})])).code).toBe(2);
  });
});
