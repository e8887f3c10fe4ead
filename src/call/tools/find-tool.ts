import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool } from "../../contract/tool.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Finds a tool by name, or by its own name where one tool has it. Disabled and pending tools are found, too: people look them up. */
export function findTool(catalog: Pick<Catalog, "get" | "all">, name: string): Tool {
  const exact = catalog.get(name);
  if (exact) return exact;
  const tools = catalog.all();
  const candidates = tools.filter((tool) => tool.ownName === name);
  if (candidates.length === 1) return candidates[0]!;
  if (candidates.length > 1) {
    throw new ToolkeepError(
      "NOT_FOUND",
      `several tools are called ${name}: ${candidates.map((tool) => tool.name).join(", ")}`,
    );
  }
  const guess = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  throw new ToolkeepError("NOT_FOUND", `no tool is named ${name}${guess ? `; did you mean ${guess}?` : ""}`, {
    remedy: "toolkeep tool list shows those there are.",
  });
}
