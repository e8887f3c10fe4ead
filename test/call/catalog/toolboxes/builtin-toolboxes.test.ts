import { describe, expect, it } from "vitest";
import { builtinToolboxes } from "../../../../src/call/catalog/toolboxes/builtin-toolboxes.ts";
import { toolboxEntriesOf } from "../../../../src/features/open-features.ts";
import { loadedFeatures } from "../../../../src/features.ts";
import { tempStore } from "../../../support/temp-store.ts";
import { openCatalog } from "../../../support/test-catalog.ts";
import { testHub } from "../../../support/test-hub.ts";
import { TestSource } from "../../../support/tools.ts";

const NAMES = [
  ...["address-book", "all", "calendar", "code", "configurator"],
  ...["email", "knowledge", "ops", "research", "scout"],
];
const MANAGING = ["create_toolbox", "update_toolbox", "delete_toolbox", "list_tools"];

const features = await loadedFeatures();
const BUILTIN_TOOLBOXES = builtinToolboxes((toolbox) => toolboxEntriesOf(features, toolbox));

const contentOf = (name: string) => BUILTIN_TOOLBOXES.find((toolbox) => toolbox.name === name)!.tools;

describe("N6: the built-in toolboxes", () => {
  it("are 002's nine and knowledge, each with a description", () => {
    expect(BUILTIN_TOOLBOXES.map(({ name }) => name).sort()).toEqual(NAMES);
    for (const { name, description, tools } of BUILTIN_TOOLBOXES) {
      expect(description.length, name).toBeGreaterThan(20);
      expect(new Set(tools).size, name).toBe(tools.length);
    }
  });

  it.each([
    ["all", ["*"]],
    ["scout", ["grep", "read_file", "list_directory", "web_search", "browse_url", "extract_links"]],
  ])("%s holds exactly what 002 says", (name, tools) => {
    expect(contentOf(name)).toEqual([...tools].sort());
  });

  it.each([
    [
      "research",
      ["web_search", "browse_url", "extract_links", "screenshot_url", "search_history"],
      ["recall", "memorize", "update_memory", "forget", "scout"],
    ],
    [
      "ops",
      ["recall", "memorize", "http_request"],
      ["get_system_info", "scout", "redact_text", "list_secrets"],
    ],
    ["code", ["create_project", "create_ticket", "web_search", "recall"], ["scout", "search_project_notes"]],
    ["configurator", ["create_agent", "update_agent", "get_setup_health"], MANAGING],
    [
      "configurator",
      ["request_provider_setup", "test_provider", "enable_provider_capability"],
      ["set_default_model"],
    ],
    [
      "knowledge",
      ["search", "get", "get_chunk", "memory_put", "memory_get", "memory_search"],
      ["sync", "inbox_put"],
    ],
  ])("%s holds what 002 names in it", (name, some, more) => {
    expect(contentOf(name)).toEqual(expect.arrayContaining([...some, ...more]));
  });

  it("code reads memory and does not write it; nothing but all has *", () => {
    expect(
      contentOf("code").filter((tool) => ["memorize", "update_memory", "forget"].includes(tool)),
    ).toEqual([]);
    expect(BUILTIN_TOOLBOXES.filter(({ tools }) => tools.includes("*")).map(({ name }) => name)).toEqual([
      "all",
    ]);
  });

  it("are written anew at every start, and take the place of whatever had their name", async () => {
    await using temp = await tempStore();
    const open = () => openCatalog({ sources: [new TestSource([])], store: temp.store });
    const before = await open();
    await before.toolboxes.create("research", { tools: ["mine"] });
    await before.toolboxes.create("own", { tools: ["mine"] });
    const after = await open();
    await after.toolboxes.writeBuiltin(BUILTIN_TOOLBOXES);
    expect(after.toolboxes.get("research")).toMatchObject({ builtin: true, tools: contentOf("research") });
    expect(after.toolboxes.get("own")).toMatchObject({ builtin: false, tools: ["mine"] });
    await expect(after.toolboxes.update("research", { tools: [] })).rejects.toMatchObject({
      code: "READ_ONLY",
    });
  });

  it("give a sub-agent nothing that is for main agents, though configurator lists it", async () => {
    await using test = await testHub({ agents: { chief: ["configurator"] } });
    await test.hub.identity.createAgent("helper", { parent: "chief", toolboxes: ["configurator"] });
    const has = (agent: string) => test.hub.catalog.visible(test.caller(agent)).map(({ name }) => name);
    expect(has("chief")).toEqual(expect.arrayContaining(MANAGING));
    const mainOnly = test.hub.catalog.all().filter(({ availability }) => availability === "main");
    expect(mainOnly.length).toBeGreaterThan(4);
    expect(has("helper").filter((name) => mainOnly.some((tool) => tool.name === name))).toEqual([]);
  });
});
