import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePackageName } from "../../../../src/features/plugins/package/npm-install.ts";
import { npmRegistry } from "../../../support/npm-registry.ts";
import { testHub } from "../../../support/test-hub.ts";

const TOOL = "plugin_sample_tool";
const PACKAGE = "toolkeep-plugin-sample";

/** Each of them starts npm, up to three times, on a machine that does other things too. */
const PATIENCE = { timeout: 120_000 };

describe("a plugin of npm", PATIENCE, () => {
  it("is installed without running anything of it, and recorded in the exact version", async () => {
    await using registry = await npmRegistry();
    await using tested = await testHub({ env: registry.env });
    const trace = join(tested.home, "trace");
    await registry.publish({
      run: "return 'one';",
      scripts: { postinstall: `touch ${trace}`, install: `touch ${trace}` },
    });
    const added = await tested.hub.plugins.add({ kind: "npm", spec: PACKAGE });
    expect(added).toMatchObject({ name: "sample", packageName: PACKAGE, version: "1.0.0", enabled: false });
    await expect(access(trace)).rejects.toThrow();
    const root = JSON.parse(await readFile(join(added.folder, "package.json"), "utf8"));
    expect(root.dependencies).toEqual({ [PACKAGE]: "1.0.0" });
    await tested.hub.plugins.enable("sample");
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "ok", text: "one" });
  });

  it("whose install is cancelled leaves nothing behind", async () => {
    await using registry = await npmRegistry();
    await using tested = await testHub({ env: registry.env });
    await registry.publish({});
    await expect(
      tested.hub.plugins.add({ kind: "npm", spec: PACKAGE }, { signal: AbortSignal.timeout(50) }),
    ).rejects.toThrow("cancelled");
    expect(await tested.hub.plugins.list()).toEqual([]);
  });
});

describe("a spec", () => {
  it.each([
    ["name", "name"],
    ["name@1.2.3", "name"],
    ["@scope/name@^2", "@scope/name"],
    ["name@latest", "name"],
    ["--global", undefined],
    ["-g", undefined],
    ["./folder", undefined],
    ["owner/repository", undefined],
    ["name@npm:other", undefined],
    ["name@file:../x", undefined],
    ["https://example.com/x.tgz", undefined],
    ["name other", undefined],
    ["", undefined],
  ])("%j asks for %j", (spec, name) => {
    expect(parsePackageName(spec)).toBe(name);
  });
});
