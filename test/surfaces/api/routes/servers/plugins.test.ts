import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writePlugin, writtenPlugin } from "../../../../support/plugin.ts";
import { testApi } from "../../../../support/test-api.ts";

describe("/api/plugins", () => {
  it("adds, shows, enables, disables, updates and removes a plugin", async () => {
    await using api = await testApi();
    const events: unknown[] = [];
    api.hub.events.on("plugin.changed", ({ change }) => events.push(change));
    const spec = await writtenPlugin(api, { permissions: { network: true } });
    const added = await api.request("POST", "/api/plugins", { kind: "folder", spec, name: "mine" });
    expect(added.status).toBe(201);
    expect(added.body.plugin).toMatchObject({
      name: "mine",
      enabled: false,
      may: ["reach any host on the network"],
      source: { kind: "folder", spec },
    });
    const { sha256 } = added.body.plugin;
    const enabled = await api.request("POST", "/api/plugins/mine/enable", { sha256, trusted: true });
    expect(enabled.body.plugin).toMatchObject({
      enabled: true,
      trusted: true,
      status: { kind: "active" },
      tools: [{ name: "plugin_mine_tool", ownName: "tool" }],
    });
    const { body: tools } = await api.request("GET", "/api/tools/plugin_mine_tool");
    expect(tools.tool).toMatchObject({ origin: "plugin:mine", scope: "tools", floor: false });
    await api.request("POST", "/api/call", { name: "plugin_mine_tool" });
    const { body: shown } = await api.request("GET", "/api/plugins/mine");
    expect(shown.plugin.processes).toBe(1);
    expect(shown.log.map(({ text }: { text: string }) => text)).toContain("process started");

    await writePlugin(spec, { permissions: { network: true, files: "write" } });
    const { body: updated } = await api.request("POST", "/api/plugins/mine/update");
    expect(updated.plugin).toMatchObject({ enabled: false, mayAlso: expect.arrayContaining([]) });
    expect(updated.plugin.mayAlso).toHaveLength(2);
    const { body: list } = await api.request("GET", "/api/plugins");
    expect(list.plugins).toMatchObject([{ name: "mine", status: { kind: "disabled" } }]);
    expect((await api.request("POST", "/api/plugins/mine/disable")).status).toBe(200);
    expect((await api.request("DELETE", "/api/plugins/mine")).body).toEqual({ done: true });
    expect((await api.request("GET", "/api/plugins/mine")).status).toBe(404);
    expect(events).toEqual(["added", "changed", "changed", "changed", "removed"]);
  });

  it("enables only what was shown", async () => {
    await using api = await testApi();
    const spec = await writtenPlugin(api, {});
    await api.request("POST", "/api/plugins", { kind: "folder", spec });
    const without = await api.request("POST", "/api/plugins/sample/enable", {});
    expect([without.status, without.body.error.message]).toEqual([400, "body: sha256 is missing"]);
    const other = await api.request("POST", "/api/plugins/sample/enable", { sha256: "0".repeat(64) });
    expect([other.status, other.body.error.code]).toEqual([409, "CHANGED"]);
  });

  it.each([
    [{ kind: "folder", spec: "relative/folder" }, "absolute path"],
    [{ kind: "folder", spec: "/does/not/exist" }, "/does/not/exist does not exist on this machine"],
    [{ kind: "npm", spec: "--global" }, "an npm package"],
    [{ kind: "npm", spec: "https://example.com/x.tgz" }, "an npm package"],
    [{ kind: "npm", spec: "git+ssh://example.com/x" }, "an npm package"],
    [{ kind: "npm", spec: "../folder" }, "an npm package"],
  ])("refuses %j", async (body, message) => {
    await using api = await testApi();
    const answer = await api.request("POST", "/api/plugins", body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.body.error.message).toContain(message);
  });

  it("refuses a folder that is no plugin and says what is missing", async () => {
    await using api = await testApi();
    const answer = await api.request("POST", "/api/plugins", {
      kind: "folder",
      spec: join(api.home, "nothing"),
    });
    expect(answer.status).toBe(400);
    const spec = await writtenPlugin(api, { permissions: { everything: true } });
    const { body } = await api.request("POST", "/api/plugins", { kind: "folder", spec });
    expect(body.error.message).toContain('unknown key "everything"');
  });
});
