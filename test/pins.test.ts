import { describe, expect, it } from "vitest";
import { SCOPES } from "../src/contract/caller.ts";
import { ERRORS } from "../src/contract/errors.ts";
import { OUTCOMES } from "../src/contract/tool.ts";
import * as library from "../src/index.ts";
import { SCHEMA_VERSION } from "../src/machine/db/history/index.ts";
import { TABLES } from "../src/machine/db/schema.ts";
import { KNOWLEDGE_MIGRATIONS } from "../src/machine/db/tables/knowledge-index/migrations/index.ts";

/** What others build on, as literals: changing one of these is a decision, not an accident. */
describe("pinned", () => {
  it("exports of the library", () => {
    expect(Object.keys(library).sort()).toEqual([
      "ERRORS",
      "OUTCOMES",
      "SCOPES",
      "ToolkeepError",
      "aiSdkTools",
      "anthropicTools",
      "createHub",
      "loadSettings",
      "openaiChatTools",
      "openaiResponsesTools",
      "runAnthropicCalls",
      "runOpenaiChatCalls",
      "runOpenaiResponsesCalls",
    ]);
  });

  it("outcomes", () => {
    expect(OUTCOMES).toEqual([
      "ok",
      "failed",
      "timed_out",
      "cancelled",
      "unknown_tool",
      "ambiguous_tool",
      "not_granted",
      "disabled",
      "pending_approval",
      "unavailable",
      "invalid_arguments",
      "denied",
      "needs_approval",
      "needs_input",
      "internal_error",
    ]);
  });

  it("scopes", () => {
    expect(SCOPES.join(" ")).toBe(
      "files shell web human tools admin mcp search get memory.read memory.write sync ingest",
    );
  });

  it("error codes with status and exit code", async () => {
    const rows = Object.entries(ERRORS).map(([code, { status, exit }]) => `${code} ${status} ${exit}`);
    await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("pins/errors.txt");
  });

  it("steps of the index of knowledge", () => {
    expect(KNOWLEDGE_MIGRATIONS.map(({ name }) => name)).toEqual(["0001-index", "0002-sweeping"]);
  });

  it("tables and columns of the store", async () => {
    const tables = Object.entries(TABLES).map(([name, columns]) => {
      const shown = Object.entries(columns).map(([column, type]) => `  ${column}: ${type}`);
      return [name, ...shown].join("\n");
    });
    await expect(`version ${SCHEMA_VERSION}\n${tables.join("\n")}\n`).toMatchFileSnapshot("pins/store.txt");
  });
});
