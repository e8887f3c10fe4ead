import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeTool } from "../../../../support/custom.ts";
import { testApi } from "../../../../support/test-api.ts";

describe("/api/custom-tools", () => {
  it("leads from a new tool to an enabled one, and back", async () => {
    await using api = await testApi({ agents: { main: ["all"] } });
    const created = await api.request("POST", "/api/custom-tools", { name: "hello", language: "js" });
    expect(created).toMatchObject({ status: 201, body: { tool: { name: "custom_hello", enabled: null } } });
    expect(await api.request("POST", "/api/custom-tools", { name: "hello" })).toMatchObject({
      status: 409,
      body: { error: { code: "NAME_TAKEN" } },
    });

    const tried = await api.request("POST", "/api/custom-tools/hello/try", { arguments: { name: "Ada" } });
    expect(tried.body).toMatchObject({
      outcome: "ok",
      structured: { greeting: "Hello, Ada!" },
      meta: { exitCode: 0 },
    });
    const call = { name: "custom_hello", arguments: { name: "Ada" }, agent: "main" };
    expect((await api.request("POST", "/api/call", call)).body.outcome).toBe("disabled");

    const { sha256 } = created.body.tool;
    const enabled = await api.request("POST", "/api/custom-tools/custom_hello/enable", { sha256 });
    expect(enabled.body.tool).toMatchObject({
      status: { kind: "active" },
      enabled: { enabledBy: "operator" },
    });
    expect((await api.request("POST", "/api/call", call)).body.outcome).toBe("ok");

    const disabled = await api.request("POST", "/api/custom-tools/hello/disable");
    expect(disabled.body.tool).toMatchObject({ status: { kind: "disabled" }, enabled: null });
    const removed = await api.request("DELETE", "/api/custom-tools/hello");
    expect(removed.body).toEqual({ done: true, folder: expect.stringContaining("removed-tools") });
    expect((await api.request("GET", "/api/custom-tools")).body).toEqual({ tools: [], problems: [] });
  });

  it("enables nothing but what was shown, and wants to know what that was", async () => {
    await using api = await testApi();
    const folder = await writeTool(api.home, "hello", "echo hi");
    const { sha256 } = (await api.request("GET", "/api/custom-tools/hello")).body.tool;
    await writeFile(join(folder, "tool.sh"), "echo other");
    expect(await api.request("POST", "/api/custom-tools/hello/enable", { sha256 })).toMatchObject({
      status: 409,
      body: { error: { code: "CHANGED" } },
    });
    expect((await api.request("POST", "/api/custom-tools/hello/enable", {})).status).toBe(400);
  });

  it("shows what is in the folder at the moment, folders that are no tool too", async () => {
    await using api = await testApi();
    await writeTool(api.home, "hello", "echo hi", { timeout_ms: 1_000, env: { A: "canary" } });
    await writeTool(api.home, "Not-This", "echo");
    const { body } = await api.request("GET", "/api/custom-tools");
    expect(body).toMatchObject({
      tools: [{ name: "custom_hello", wants: { timeoutMs: 1_000, env: ["A"] } }],
      problems: [expect.stringContaining("Not-This")],
    });
    expect(JSON.stringify(body)).not.toContain("canary");
    const { tools } = (await api.request("GET", "/api/tools")).body;
    expect(tools).toContainEqual(expect.objectContaining({ name: "custom_hello", origin: "custom" }));
  });

  it("knows no tool that is not there, and no language that it has no template for", async () => {
    await using api = await testApi();
    for (const [method, path] of [
      ["GET", "nothing"],
      ["DELETE", "nothing"],
      ["POST", "nothing/disable"],
    ] as const)
      expect((await api.request(method, `/api/custom-tools/${path}`)).status).toBe(404);
    expect((await api.request("POST", "/api/custom-tools/nothing/try", {})).status).toBe(404);
    expect((await api.request("POST", "/api/custom-tools", { name: "x", language: "cobol" })).status).toBe(
      400,
    );
    expect((await api.request("POST", "/api/custom-tools", { name: "../x" })).status).toBe(400);
  });
});
