import { describe, expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

describe("toolkeep toolbox", () => {
  it("creates, fills, shows and deletes one, and says who has it", async () => {
    await using api = await testApi({ agents: { reader: ["reading"] } });
    const created = await typed(api, [
      "toolbox",
      "create",
      "reading",
      "read_file",
      "--description",
      "to look",
    ]);
    expect(created.out).toContain("Created toolbox reading.\nIt contains 1 tool.\n");
    expect((await typed(api, ["toolbox", "show", "writing"])).err).toContain("toolkeep toolbox list");
    await typed(api, ["toolbox", "add", "reading", "grep"]);
    await typed(api, ["toolbox", "remove", "reading", "read_file"]);
    const shown = await typed(api, ["toolbox", "show", "reading"]);
    expect(shown.out).toMatch(/agents: +reader\n/);
    expect(shown.out).toContain("tools:\n  grep\n");
    expect((await typed(api, ["toolbox", "list"])).out).toMatch(/reading +own +1 +reader +to look/);
    const deleted = await typed(api, ["toolbox", "delete", "reading", "--yes"]);
    expect(deleted.out).toContain("These agents lost its tools: reader.");
    expect((await typed(api, ["agent", "show", "reader"])).out).toContain(
      "Unknown tools (kept in case they appear): toolbox reading",
    );
  });

  it("reports names that no tool has, patterns without a match and what is not available yet", async () => {
    await using api = await testApi();
    const entries = ["no_such_tool", "send_email", "mcp:gone:*", "read_file"];
    const created = await typed(api, ["toolbox", "create", "box", ...entries, "--allow-unknown"]);
    expect(created.out).toContain(
      "Unknown tools (kept in case they appear): no_such_tool\nNot available yet: send_email\nMatches no tools yet: mcp:gone:*\n",
    );
    const shown = await typed(api, ["toolbox", "show", "box"]);
    expect(shown.out).toContain(
      "  mcp:gone:*  (matches no tools yet)\n  no_such_tool  (unknown)\n  read_file\n  send_email  (not available yet)\n",
    );
  });

  it("refuses names that no tool has, with the nearest, and changes nothing", async () => {
    await using api = await testApi();
    const created = await typed(api, ["toolbox", "create", "box", "raed_file", "mcp:later:*", "zzz_nothing"]);
    expect(created).toMatchObject({ code: 3, out: "" });
    expect(created.err).toContain("no tool is named raed_file (did you mean read_file?), zzz_nothing");
    expect(created.err).toContain("--allow-unknown");
    expect((await typed(api, ["toolbox", "show", "box"])).code).toBe(3);

    expect(
      (await typed(api, ["toolbox", "create", "box", "read_file", "mcp:later:*", "send_email"])).code,
    ).toBe(0);
    expect(await typed(api, ["toolbox", "add", "box", "gerp"])).toMatchObject({ code: 3 });
    expect((await typed(api, ["toolbox", "add", "box", "later_tool", "--allow-unknown"])).code).toBe(0);
    // What is kept already does not stand in the way.
    expect((await typed(api, ["toolbox", "add", "box", "grep"])).code).toBe(0);
    expect(api.hub.catalog.toolboxes.get("box").tools).toHaveLength(5);
  });

  it("leaves built-in ones as they are", async () => {
    await using api = await testApi();
    expect(await typed(api, ["toolbox", "add", "research", "grep"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("built-in toolbox"),
    });
    expect((await typed(api, ["toolbox", "show", "email"])).out).toContain("send_email  (not available yet)");
  });
});

describe("toolkeep tool", () => {
  it("shows which toolboxes give a tool, which agents have it, and what is not available yet", async () => {
    await using api = await testApi({
      toolboxes: { mine: ["create_toolbox"] },
      agents: { chief: ["mine"], other: ["all"] },
    });
    const shown = await typed(api, ["tool", "show", "create_toolbox"]);
    expect(shown.out).toMatch(/toolboxes: +configurator, mine\n/);
    expect(shown.out).toMatch(/agents: +chief\n/);
    const planned = await typed(api, ["tool", "show", "send_email"]);
    expect(planned.out).toMatch(/status: +send_email is not available yet: it comes when/);
    expect((await typed(api, ["tool", "list"])).out).not.toContain("send_email");
    expect((await typed(api, ["tool", "list", "--planned"])).out).toMatch(
      /^ {2}send_email +not available yet/m,
    );
    expect((await typed(api, ["tool", "list", "--agent", "other"])).out).not.toContain("send_email");
  });
});
