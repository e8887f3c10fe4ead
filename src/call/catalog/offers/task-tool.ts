import type { JsonSchema, TaskRequest, Tool } from "../../../contract/tool.ts";
import type { ToolPlace } from "../../../contract/tool-place.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Refusal } from "../resolve.ts";

/** A request about a task takes the path of every call, with the permission of the tool that began it. */
export function resolveTask(resolved: Result<Tool, Refusal>): Result<Tool, Refusal> {
  if (!resolved.ok) return resolved;
  const tool: Tool & ToolPlace = resolved.value;
  const { name, ownName, scope, availability, floor, wildcard, origin, timeoutMs } = tool;
  if (!tool.followTask) return err(noTasks(name));
  return ok({
    name,
    ownName,
    description: "",
    inputSchema: TASK,
    flags: { readOnly: false, concurrencySafe: true, destructive: false },
    scope,
    availability,
    floor,
    wildcard,
    origin,
    ...(tool.startsElsewhere && { startsElsewhere: true }),
    verbatim: true,
    timeoutMs,
    status: () => tool.status(),
    // The schema has checked it.
    run: (args, context) => tool.followTask!(args as unknown as TaskRequest, context),
  });
}

const TASK: JsonSchema = {
  type: "object",
  required: ["id", "action"],
  properties: {
    id: { type: "string" },
    action: { enum: ["get", "update", "cancel"] },
    answers: { type: "object" },
  },
};

function noTasks(name: string): Refusal {
  return {
    outcome: "unknown_tool",
    tool: name,
    error: {
      message: `${name} has no tasks`,
      remedy: "Call the tool itself.",
      details: { code: "task_not_found" },
    },
  };
}
