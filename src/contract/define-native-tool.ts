import type { z } from "zod";
import { type Definition, plainDefinition, type ShapedDefinition, toolOf } from "./define-tool.ts";
import { explainError } from "./explain-error.ts";
import type { Tool } from "./tool.ts";

export { failed, output, outputContent } from "./define-tool.ts";

/** Defines a tool of the core floor. A full disk or a missing permission is an answer, not a bug. */
export function defineTool<Args extends object>(definition: Definition<Args>): Tool {
  return toolOf(definition, { origin: "native", floor: true, wildcard: true }, explainError);
}

/** Defines a tool that must be granted by a toolbox; `*` covers it. */
export function defineGranted<Args extends object>(definition: Definition<Args>): Tool {
  return toolOf(definition, { origin: "native", floor: false, wildcard: true }, explainError);
}

/** The same two functions, with the arguments as one shape. */
export function floorTool<Shape extends z.ZodObject>(definition: ShapedDefinition<Shape>): Tool {
  return defineTool(plainDefinition(definition));
}

export function grantedTool<Shape extends z.ZodObject>(definition: ShapedDefinition<Shape>): Tool {
  return defineGranted(plainDefinition(definition));
}

/** Defines a tool that manages Toolkeep itself. It is granted only by name, and only to the agent of a conversation. */
export function definePlatform<Args extends object>(
  definition: Omit<Definition<Args>, "scope" | "availability">,
): Tool {
  return toolOf(
    { ...definition, scope: "admin", availability: "main" },
    { origin: "platform", floor: false, wildcard: false },
    explainError,
  );
}
