import { describe, expect, it } from "vitest";
import type { Settings } from "../../src/config/settings.ts";
import { listLimits } from "../../src/session/list-limits.ts";

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
