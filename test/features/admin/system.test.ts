import { hostname, userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { testHub } from "../../support/test-hub.ts";

describe("get_system_info", () => {
  test("shows the machine, without its names and without the environment", async () => {
    await using it = await testHub({ agents: { ops: ["ops"], plain: [] }, env: { CANARY: "canary-0a5b77" } });
    expect((await it.call("get_system_info", {}, "plain")).outcome).toBe("not_granted");
    const { structured, text } = await it.call("get_system_info", {}, "ops");
    expect(structured).toMatchObject({
      os: { platform: process.platform, arch: process.arch },
      node: process.versions.node,
      toolkeep: { version: "0.0.0-test" },
      memory_mb: { total: expect.any(Number), free: expect.any(Number) },
      disk_mb: { total: expect.any(Number), free: expect.any(Number) },
    });
    expect(Object.keys(structured ?? {}).sort()).toEqual([
      "cpu",
      "disk_mb",
      "memory_mb",
      "node",
      "os",
      "time",
      "time_zone",
      "toolkeep",
    ]);
    expect(text).not.toContain(`"${hostname()}"`);
    expect(text).not.toContain(userInfo().homedir);
    expect(text).not.toContain("canary-0a5b77");
  });
});
