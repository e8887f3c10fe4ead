import type { Caller } from "../../../contract/caller.ts";
import { type Definition, explainRefusal, failed, output, toolOf } from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool, ToolResult } from "../../../contract/tool.ts";
import type { Clock } from "../../../lib/clock.ts";
import { MEMORY_TYPES } from "../memory/contract.ts";
import type { Memory, Remembered } from "../memory/memory.ts";
import { OWN_SPACE, type Reach } from "../memory/spaces.ts";
import { shortLine, shownMemory } from "./memory-result.ts";

export interface MemoryToolsDeps {
  readonly memory: Pick<
    Memory,
    "remember" | "recall" | "find" | "get" | "history" | "update" | "retract" | "forget"
  >;
  /** Which memories a caller uses, and what it may see. */
  readonly reachOf: (caller: Caller) => Reach;
  readonly clock: Clock;
}

export const TYPE: JsonSchema = {
  type: "string",
  enum: MEMORY_TYPES,
  description: "What kind of thing it is. Default note.",
};
export const SPACE: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 40,
  description: `Where it is kept: ${OWN_SPACE}, or the name of a space that agents share.`,
};

/** Granted by a toolbox, also through `*`. */
export function memoryTool<Args extends object>(definition: Omit<Definition<Args>, "domain">): Tool {
  return toolOf<Args>(
    { ...definition, domain: "memory" },
    { origin: "native", floor: false, wildcard: true },
    // Somebody deleted the memory at the same time, or its content is not accepted.
    explainRefusal,
  );
}

/** The result of remembering something, for models. */
export function renderRemembered(
  what: "Memorized" | "Updated" | "Stored",
  remembered: Remembered,
  shown: (memory: Extract<Remembered, { kind: "kept" }>["memory"]) => object = shownMemory,
): ToolResult {
  switch (remembered.kind) {
    case "full":
      return failed(
        `You remember ${remembered.limit} things of this label, or of none, which is the most. Forget or update some that are no longer of use first.`,
      );
    case "known":
      return output(
        `You know this already, as ${remembered.memory.id}.`,
        { memory: shown(remembered.memory), known: true },
        { gave: [remembered.memory.id] },
      );
    case "kept": {
      const { memory, redacted, similar, superseded } = remembered;
      const notes = [
        `${what} as ${memory.id}.`,
        ...(superseded && memory.key !== null ? ["What was there before is kept as history."] : []),
        ...(redacted ? ["A secret was taken out of it: keep secrets with set_secret or prompt_secret."] : []),
        ...(similar.length === 0 ? [] : ["Something similar is known already:", ...similar.map(shortLine)]),
      ];
      return output(
        notes.join("\n"),
        { memory: shown(memory), redacted, superseded, similar: similar.map(shownMemory) },
        { gave: [memory.id, ...similar.map(({ id }) => id)], wrote: [memory.id] },
      );
    }
  }
}

export function notWritable(space: string, { write }: Reach): ToolResult {
  const may = write.length === 0 ? "none" : write.join(", ");
  return failed(
    `You may not write to the space ${JSON.stringify(space)}; of those that agents share you may write to ${may}. Leave space out to keep it for yourself.`,
  );
}
