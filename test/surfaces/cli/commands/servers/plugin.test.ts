import { describe, expect, it } from "vitest";
import { inDeep } from "../../../../support/length.ts";
import { writePlugin, writtenPlugin } from "../../../../support/plugin.ts";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep plugin", () => {
  it("add shows what a plugin may do and, where nobody can say yes, leaves it disabled", async () => {
    await using api = await testApi();
    const folder = await writtenPlugin(api, { permissions: { files: "write", secrets: ["KEY"] } });
    const { code, out } = await typed(api, ["plugin", "add", folder]);
    expect(code).toBe(0);
    expect(out).toContain("  - change the files in the calling agent's workspace\n");
    expect(out).toContain("Secrets not set yet:\n  - KEY\n");
    expect(out).toContain("Added, not enabled. Review its permissions, then: toolkeep plugin enable sample");
    expect(api.hub.plugins.tools()).toEqual([]);
  });

  inDeep("add --yes enables it and says which tools there are", async () => {
    await using api = await testApi();
    const folder = await writtenPlugin(api, {});
    const { code, out, err } = await typed(api, [
      "plugin",
      "add",
      folder,
      "--name",
      "mine",
      "--yes",
      "--trusted",
    ]);
    expect(code).toBe(0);
    expect(err).toContain("It requests no permissions");
    expect(out).toContain("Enabled mine with 1 tool:\n  plugin_mine_tool\n");
    expect(await api.hub.plugins.get("mine")).toMatchObject({ trusted: true });
  });

  it("enable wants a yes, and shows before it what the plugin may do", async () => {
    await using api = await testApi();
    await typed(api, ["plugin", "add", await writtenPlugin(api, { permissions: { network: true } })]);
    const refused = await typed(api, ["plugin", "enable", "sample"]);
    expect(refused.code).toBe(4);
    expect(refused.err).toContain("reach any host on the network");
    expect(refused.err).toContain("toolkeep plugin enable sample --yes");
    const { code, out } = await typed(api, ["plugin", "enable", "sample", "--yes"]);
    expect([code, out]).toEqual([0, expect.stringContaining("plugin_sample_tool")]);
  });

  inDeep("enable of one that cannot be started fails and says why", async () => {
    await using api = await testApi();
    await typed(api, ["plugin", "add", await writtenPlugin(api, { entry: "throw new Error('no luck');" })]);
    const { code, err } = await typed(api, ["plugin", "enable", "sample", "--yes"]);
    expect(code).toBe(2);
    expect(err).toContain("plugin sample cannot be used: no luck");
  });

  it("list, show, disable and remove say how things are", async () => {
    await using api = await testApi();
    expect((await typed(api, ["plugin", "list"])).out).toContain("No plugins yet.");
    await typed(api, [
      "plugin",
      "add",
      await writtenPlugin(api, { permissions: { network: true } }),
      "--yes",
    ]);
    expect((await typed(api, ["plugin", "list"])).out).toMatch(/sample +1\.0\.0 +enabled +1 +1 permission/);
    const { out: shown } = await typed(api, ["plugin", "show", "sample"]);
    expect(shown).toContain("- plugin_sample_tool");
    expect((await typed(api, ["plugin", "disable", "sample"])).out).toBe("Disabled sample.\n");
    expect((await typed(api, ["plugin", "list"])).out).toContain(" disabled ");
    const { out: json } = await typed(api, ["plugin", "show", "sample", "--json"]);
    expect(JSON.parse(json).plugin).toMatchObject({ name: "sample", enabled: false });
    expect((await typed(api, ["plugin", "remove", "sample", "--yes"])).out).toBe("Removed sample.\n");
    expect((await typed(api, ["plugin", "show", "sample"])).code).toBe(3);
  });

  inDeep("update says what is new and asks again", async () => {
    await using api = await testApi();
    const folder = await writtenPlugin(api, {});
    await typed(api, ["plugin", "add", folder, "--yes"]);
    expect((await typed(api, ["plugin", "update", "sample"])).out).toBe(
      "sample 1.0.0 is already up to date.\n",
    );
    await writePlugin(folder, { version: "1.1.0", permissions: { files: "read" } });
    const { out } = await typed(api, ["plugin", "update", "sample"]);
    expect(out).toContain("New since it was last enabled:\n  - read the files");
    expect(out).toContain("Updated (1.0.0 → 1.1.0), not enabled.");
    expect((await typed(api, ["plugin", "list"])).out).toContain(
      "enable it: toolkeep plugin enable sample\n",
    );
    expect((await typed(api, ["plugin", "update", "sample"])).out).toContain(
      "sample 1.1.0 is already installed, not enabled.",
    );
    expect((await typed(api, ["plugin", "update", "sample", "--yes"])).out).toContain(
      "Enabled sample with 1 tool",
    );
    await writePlugin(folder, { version: "1.2.0" });
    expect((await typed(api, ["plugin", "update", "sample", "--yes"])).out).toContain(
      "Enabled sample with 1 tool",
    );
  });

  it("add takes no package with --link, and no relative path for a daemon elsewhere", async () => {
    await using api = await testApi();
    expect((await typed(api, ["plugin", "add", "name", "--link"])).code).toBe(2);
    const { code, err } = await typed(api, ["plugin", "add", "./folder"]);
    expect([code, err]).toEqual([2, expect.stringContaining("the daemon is remote")]);
  });
});
