import { describe, expect, it } from "vitest";
import { listLimits } from "../../../src/call/conversation/list-limits.ts";
import type { Settings } from "../../../src/machine/config/settings.ts";

function limitsFor(caller: Parameters<typeof listLimits>[0], models: Settings["toolSearch"]["models"] = {}) {
  const toolSearch = { enabled: true, threshold: 20, windowPercent: 5, maxMatches: 10, models };
  const mcp = { deferredLoading: "auto" } as Settings["mcp"];
  return listLimits(caller, { mcp, toolSearch } as Settings);
}

describe("the limits of a list", () => {
  it("are those of the settings alone where nobody says which model it is for", () => {
    expect(limitsFor({})).toEqual({ mode: "auto", threshold: 20, eager: [] });
  });

  it("follow from the model", () => {
    expect(limitsFor({ model: "gpt-4o-mini" })).toMatchObject({ maxTools: 128, maxTokens: 6_400 });
    expect(limitsFor({ model: "openai/whatever" })).toMatchObject({ maxTools: 128 });
    expect(limitsFor({ model: "Claude-Opus" })).toMatchObject({ maxTokens: 10_000 });
    expect(limitsFor({ model: "Claude-Opus" }).maxTools).toBeUndefined();
    expect(limitsFor({ model: "mine" })).toEqual({ mode: "auto", threshold: 20, eager: [] });
  });

  it("D8: keep what leads agents in the lists of local models and of coordinators", () => {
    const eleven = limitsFor({ localModel: true }).eager;
    expect(eleven).toEqual(
      "create_agent wait_for_agent send_agent_prompt get_agent_activity list_agents cancel_agent resolve_outcome get_workflow_context save_plan recall_plans compact_conversation".split(
        " ",
      ),
    );
    for (const model of [
      "ollama/llama3.2",
      "LMStudio/qwen",
      "http://127.0.0.1:8080/v1",
      "http://[::1]/v1",
      "https://10.1.2.3/m",
      "http://gpu.local/v1",
      "http://localhost:1234",
    ])
      expect(limitsFor({ model }).eager, model).toEqual(eleven);
    for (const model of [
      "llama3.2",
      "gpt-5",
      "https://example.com/v1",
      "https://8.8.8.8/v1",
      "localhost",
      "http://",
    ])
      expect(limitsFor({ model }).eager, model).toEqual([]);
    expect(limitsFor({ coordinator: true }).eager).toEqual([...eleven, "memory_engage", "memory_reflect"]);
    const models = { "ollama/*": { eager: ["mine"] } };
    expect(limitsFor({ model: "ollama/x" }, models).eager).toEqual(["mine"]);
    expect(limitsFor({ model: "ollama/x", coordinator: true }, models).eager).toContain("memory_engage");
  });

  it("take what the settings say of a model, the longest pattern first, before what is known of it", () => {
    const models = {
      "gpt-*": { maxTools: 64, eager: ["search"] },
      "gpt-5*": { window: 1_000_000 },
      mine: { window: 10_000, eager: [] },
    };
    expect(limitsFor({ model: "gpt-5" }, models)).toEqual({
      mode: "auto",
      threshold: 20,
      maxTools: 64,
      maxTokens: 50_000,
      eager: ["search"],
    });
    expect(limitsFor({ model: "mine" }, models).maxTokens).toBe(500);
  });

  it("heed the client, and the program that embeds the hub most of all", () => {
    expect(limitsFor({ host: { client: "Cursor Agent" } }).maxTools).toBe(40);
    expect(limitsFor({ model: "gpt-5", host: { client: "cursor-vscode" } }).maxTools).toBe(40);
    expect(
      limitsFor({ model: "gpt-5", host: { client: "cursor", maxTools: 500, window: 1_000 } }),
    ).toMatchObject({
      maxTools: 500,
      maxTokens: 50,
    });
  });
});
