import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Check } from "../../../src/contract/health.ts";
import { type TestHub, testHub } from "../../support/test-hub.ts";
import { fixture } from "../../support/upstream.ts";

async function checks(it: TestHub, args: object = {}): Promise<readonly Check[]> {
  const { outcome, error, structured } = await it.call("get_setup_health", args, "boss");
  if (outcome !== "ok") throw new Error(error?.message);
  return structured?.checks as readonly Check[];
}

const named = (all: readonly Check[], name: string) => all.find((check) => check.name === name);

describe("get_setup_health", () => {
  test("looks at the machine, the home, the key, the settings and the store, and is had by name only", async () => {
    await using it = await testHub({ agents: { boss: ["configurator"], star: ["all"] } });
    expect((await it.call("get_setup_health", {}, "star")).outcome).toBe("not_granted");
    const all = await checks(it);
    for (const name of ["node", "home", "key", "settings", "store", "audit"])
      expect(named(all, name)?.state, name).toBe("ok");
    expect(it.hub.catalog.get("get_setup_health")?.flags).toEqual({
      readOnly: true,
      concurrencySafe: true,
      destructive: false,
    });
  });

  test("says which tools of a server nobody can use", async () => {
    await using it = await testHub({
      agents: { boss: ["configurator"] },
      servers: { large: fixture("lists one that is too large") },
    });
    await it.hub.upstream.settled();
    expect(named(await checks(it, { problems_only: true }), "server large")).toMatchObject({
      state: "warning",
      detail: "1 tool left out: its definition is larger than 256 kB (huge)",
    });
  });

  test("says what is wrong and what to do about it, and changes nothing", async () => {
    await using it = await testHub({
      agents: { boss: ["configurator"] },
      toolboxes: { old: ["mcp_gone_tool"] },
      servers: { absent: { command: "toolkeep-test-not-there" } },
      settings: { questions: { wait_ms: 0 } },
    });
    await it.call("prompt_human", { question: "May I?" }, "boss");
    await writeFile(join(it.home, "config.json"), '{ "port": "x" }');
    const before = (await it.hub.store.dump()).tables.toolboxes;
    const problems = await checks(it, { problems_only: true });
    expect(problems.every(({ state, remedy }) => state !== "ok" && remedy)).toBe(true);
    expect(named(problems, "settings")).toMatchObject({ state: "failed" });
    expect(named(problems, "server absent")?.detail).toContain("toolkeep-test-not-there");
    expect(named(problems, "toolbox old")?.detail).toContain("mcp_gone_tool");
    expect(named(problems, "questions")?.detail).toBe("1 unanswered");
    expect((await it.hub.store.dump()).tables.toolboxes).toEqual(before);
  });
});
