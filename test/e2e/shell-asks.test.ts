import { describe, expect, it } from "vitest";
import { hasSandbox } from "../support/sandbox.ts";
import { testHub } from "../support/test-hub.ts";

const works = await hasSandbox();

/** What the default rules say to a command of an agent. */
async function decisionOn(shell: object, env: Record<string, string> = {}) {
  const settings = { default_rules: true, shell };
  await using test = await testHub({ settings, agents: { main: ["all"] }, env });
  const tool = test.hub.catalog.get("run_shell")!;
  return test.hub.watchdog.decide(tool, test.caller("main"), { command: "echo hello" }).action;
}

it("the tools that come with Toolkeep say what they can do", async () => {
  await using test = await testHub();
  const of = (name: string) => test.hub.catalog.get(name)?.capabilities;
  expect(of("run_shell")).toEqual(["shell"]);
  expect([of("read_file"), of("write_file"), of("edit_file")]).toEqual([
    ["fs.read"],
    ["fs.write"],
    ["fs.write"],
  ]);
  expect([of("http_request"), of("prompt_human"), of("list_secrets")]).toEqual([
    ["net"],
    ["people"],
    ["secrets"],
  ]);
  expect(of("get_setup_health")).toEqual(["admin"]);
  expect(of("think")).toEqual([]);
});

describe("a command of an agent", () => {
  it("is asked about where nothing keeps the home from it", async () => {
    expect(await decisionOn({ sandbox: "off" })).toBe("ask");
    expect(await decisionOn({ sandbox: "auto" }, { PATH: "/nowhere" })).toBe("ask");
  });

  it.skipIf(!works)("is not where a sandbox does", async () => {
    expect(await decisionOn({ sandbox: "auto" })).toBe("allow");
  });
});
