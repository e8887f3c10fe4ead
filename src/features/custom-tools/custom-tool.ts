import type { Tool, ToolContext, ToolResult, ToolStatus } from "../../contract/tool.ts";
import type { Manifest } from "./manifest.ts";
import { runScript, type Script, type ScriptDeps, type ScriptRun } from "./run-script.ts";
import { PREFIX } from "./scanned-tool.ts";
import { shortenStderr, toResult } from "./script-answer.ts";

/** What a tool is when its folder says nothing that can be used. */
const UNKNOWN: Pick<Manifest, "description" | "inputSchema" | "flags" | "timeoutMs"> = {
  description: "A custom tool whose folder cannot be used.",
  inputSchema: { type: "object" },
  flags: { readOnly: false, concurrencySafe: false, destructive: false },
  timeoutMs: 30_000,
};

export interface CustomToolParts {
  readonly slug: string;
  readonly manifest: Manifest | undefined;
  readonly status: () => ToolStatus;
  /** What runs; undefined while nothing can. */
  readonly script: () => Script | undefined;
  readonly deps: ScriptDeps;
  /** After every run; `refused` says that the folder is no longer what it was. */
  readonly onRan?: (ran: ScriptRun) => void;
  /** Tells how the process ended beside what it answered. */
  readonly isTrial?: boolean;
}

export function customTool(parts: CustomToolParts): Tool {
  const { slug, manifest, status } = parts;
  const { title, description, inputSchema, outputSchema, flags, timeoutMs } = {
    title: undefined,
    outputSchema: undefined,
    ...(manifest ?? UNKNOWN),
  };
  return {
    name: `${PREFIX}${slug}`,
    ownName: slug,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    published: {
      annotations: {
        title: title ?? slug,
        readOnlyHint: flags.readOnly,
        destructiveHint: flags.destructive,
        // A script may reach anything; nobody said that this one does not.
        openWorldHint: true,
      },
    },
    flags,
    // A script does what its author wrote, and nobody else knows what that is.
    capabilities: ["fs.read", "fs.write", "net"],
    labels: ["untrusted_content"],
    scope: "tools",
    availability: "both",
    floor: false,
    wildcard: true,
    origin: "custom",
    timeoutMs,
    status,
    run: (args, context) => run(parts, args, context),
  };
}

async function run(
  { slug, status, script, deps, onRan, isTrial }: CustomToolParts,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const ready = script();
  // It was active a moment ago; what has changed since, its status says.
  if (!ready) {
    const now = status();
    const message = now.kind === "active" ? `${PREFIX}${slug} cannot be run. Tell a person.` : now.reason;
    return { kind: "unavailable", message, isUnsent: true };
  }
  let ran: ScriptRun;
  try {
    ran = await runScript(ready, args, context, deps);
  } catch (thrown) {
    const { code, syscall } = thrown as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw thrown;
    return { kind: "failed", message: `The script could not be run: the operating system answered ${code}.` };
  }
  onRan?.(ran);
  if (ran.kind === "refused") return ran.result;
  const answer = toResult(ran.result, ready.manifest.outputSchema !== undefined);
  if (!isTrial || (answer.kind !== "output" && answer.kind !== "failed")) return answer;
  const { code: exitCode, signal, errors } = ran.result;
  return { ...answer, meta: { exitCode, signal, stderr: shortenStderr(errors) } };
}
