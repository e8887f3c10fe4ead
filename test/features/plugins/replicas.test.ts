import { describe, expect, it } from "vitest";
import { Events } from "../../../src/contract/events.ts";
import { Plugins } from "../../../src/features/plugins/plugins.ts";
import { plugins as table } from "../../../src/features/plugins/tables.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { randomId } from "../../../src/lib/id.ts";
import { err } from "../../../src/lib/result.ts";
import { Records } from "../../../src/machine/db/query/records.ts";
import { createProcesses } from "../../../src/machine/process/processes.ts";
import { openServerTables } from "../../../src/servers/tables/server-tables.ts";
import { enabledPlugin } from "../../support/plugin.ts";
import { tempHome } from "../../support/temp-home.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";

const TOOL = "plugin_sample_tool";

/** Another process on the store of a hub, with a home of its own. */
async function replicaOf({ hub }: TestHub) {
  const home = await tempHome();
  const processes = createProcesses();
  const plugins = await Plugins.open({
    records: new Records(hub.store.database, table),
    toolNames: openServerTables(hub.store.database).toolNames,
    ...{ home: home.path, processes, clock: systemClock, newId: randomId, baseEnv: {} },
    ...{ redact: (text: string) => text, isSecret: () => false },
    secrets: { has: () => false, read: async () => err("there is none") },
    events: new Events(() => {}),
    workspaceOf: async () => home.path,
  });
  return {
    plugins,
    async [Symbol.asyncDispose]() {
      await plugins.close();
      await processes.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

describe("replicas", () => {
  it("know what another one enabled, and fetch its files where they are missing", async () => {
    await using tested = await testHub();
    await using replica = await replicaOf(tested);
    await enabledPlugin(tested, {});
    let changes = 0;
    replica.plugins.onChange(() => {
      changes += 1;
    });
    await replica.plugins.reload();
    expect(changes).toBe(1);
    expect(replica.plugins.tools().map(({ name }) => name)).toEqual([TOOL]);
    expect(await replica.plugins.get("sample")).toMatchObject({
      sha256: null,
      enabled: true,
      status: { kind: "unavailable", reason: expect.stringContaining("toolkeep plugin update sample") },
    });
    expect(await replica.plugins.update("sample")).toMatchObject({ status: { kind: "active" } });
    // What one machine lacked is no news for the others.
    expect(await tested.hub.plugins.get("sample")).toMatchObject({
      enabled: true,
      status: { kind: "active" },
    });
  });

  it("take over what another one disabled or removed, and end its processes", async () => {
    await using tested = await testHub();
    await enabledPlugin(tested, {});
    await tested.call(TOOL);
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ processes: 1 });
    await using replica = await replicaOf(tested);
    await replica.plugins.disable("sample");
    await tested.hub.reload(new Set(["plugins"]));
    expect(await tested.hub.plugins.get("sample")).toMatchObject({ enabled: false, processes: 0 });
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "disabled" });
    await replica.plugins.remove("sample");
    await tested.hub.reload(new Set(["plugins"]));
    expect(tested.hub.plugins.tools()).toEqual([]);
    expect(await tested.call(TOOL)).toMatchObject({ outcome: "unknown_tool" });
  });
});
