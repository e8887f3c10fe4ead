import { createHash } from "node:crypto";
import { requireAgreement } from "../../call/questions/agreement.ts";
import type { Questions } from "../../call/questions/questions.ts";
import { explainRefusal, failed, output, platformTool } from "../../contract/define-tool.ts";
import type { Events } from "../../contract/events.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import type { LoadedSettings } from "../../machine/config/load.ts";
import { maskedSettings } from "../../machine/config/masked.ts";
import { applyChanges, readUserSettings, type SettingsChanges, writeChanges } from "./change-settings.ts";
import { CHANGEABLE, findProblem, getVariable, isChangeable } from "./changeable-settings.ts";

export interface SettingsToolDeps {
  readonly loaded: () => LoadedSettings;
  /** False: a program that embeds Toolkeep gave the settings, and no file has them. */
  readonly areFromFiles: boolean;
  readonly questions: Pick<Questions, "ask">;
  readonly events: Events;
  readonly clock: Clock;
}

const NAME = "update_platform_config";
/** How long a written change is waited for; a daemon notices it sooner. */
const APPLIED_WITHIN_MS = 5_000;

export function settingsTools(deps: SettingsToolDeps): readonly Tool[] {
  return [getTool(deps), updateTool(deps)];
}

function getTool({ loaded }: SettingsToolDeps): Tool {
  return platformTool<{ readonly key?: string }>(
    {
      domain: "system",
      name: "get_platform_config",
      title: "Show the settings",
      description: `Show the settings of Toolkeep that are in force, secrets masked, where each comes from, and which of them ${NAME} can change.`,
      properties: {
        key: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: "Only this setting or group, such as shell or mcp.tool_timeout_secs.",
        },
      },
      required: [],
      flags: { readOnly: true, concurrencySafe: true },
      async run({ key }) {
        const now = loaded();
        const masked = maskedSettings(now);
        const settings = key === undefined ? masked : { [key]: valueAt(masked, key) };
        if (key !== undefined && settings[key] === undefined)
          return failed(`There is no setting ${JSON.stringify(key)}. Without a key all of them are shown.`);
        const shown = {
          settings,
          origins: Object.fromEntries(
            Object.entries(now.origins).filter(
              ([name, origin]) =>
                origin !== "default" && (key === undefined || name === key || name.startsWith(`${key}.`)),
            ),
          ),
          changeable: CHANGEABLE,
          files: now.files.map(({ path, scope, used }) => ({ path, scope, used })),
          warnings: now.warnings.map(({ message }) => message),
        };
        return output(JSON.stringify(shown, null, 2), shown);
      },
    },
    explainRefusal,
  );
}

function updateTool(deps: SettingsToolDeps): Tool {
  return platformTool<{ readonly changes: SettingsChanges; readonly reason: string }>(
    {
      domain: "system",
      name: NAME,
      title: "Change settings",
      description: `Change settings of Toolkeep in the user's settings file, after a copy of it was made. Only limits, times and the like can be changed: ${CHANGEABLE.join(", ")}. A person is asked first: call again with the same arguments once they have answered.`,
      properties: {
        changes: {
          type: "object",
          minProperties: 1,
          maxProperties: CHANGEABLE.length,
          additionalProperties: { type: ["string", "number", "boolean", "null"], maxLength: 200 },
          description:
            'By key: {"shell.timeout_ms": 60000}. Null takes a setting out, so that the default counts.',
        },
        reason: {
          type: "string",
          minLength: 1,
          maxLength: 1_000,
          description: "Why; shown to the person.",
        },
      },
      required: ["changes", "reason"],
      flags: { destructive: true },
      run: async ({ changes, reason }, { caller }) => {
        const refused = refusal(changes, deps);
        if (refused !== undefined) return failed(refused);
        const { home } = deps.loaded().settings;
        const file = await readUserSettings(home);
        if (!file.ok) return failed(file.error);
        const changed = applyChanges(file.value, changes);
        if (!changed.ok) return failed(changed.error);
        const before = file.value.text ?? "";
        const wish = {
          tool: NAME,
          // What they agreed to change must still be what they looked at.
          bound: [changes, createHash("sha256").update(before).digest("hex")],
          prompt: `May ${caller.agentName} change the settings ${changeText(changes, deps)}? It says: ${JSON.stringify(reason)}`,
          visibleArguments: { changes, reason },
        };
        const disagreed = await requireAgreement(deps.questions, wish, caller);
        if (disagreed) return disagreed;
        return written(changes, deps, () => writeChanges(file.value, changed.value, deps.clock));
      },
    },
    explainRefusal,
  );
}

/** What needs no person to be refused. */
function refusal(changes: SettingsChanges, { loaded, areFromFiles }: SettingsToolDeps): string | undefined {
  if (!areFromFiles)
    return "The settings are given by the program that embeds Toolkeep; only it can change them.";
  const { origins } = loaded();
  for (const [key, value] of Object.entries(changes)) {
    if (!isChangeable(key))
      return `${key} is not for agents to change; only these are: ${CHANGEABLE.join(", ")}. A person changes the settings file.`;
    const problem = findProblem(key, value);
    if (problem !== undefined) return problem;
    if (origins[key] === "env")
      return `${key} is taken from ${getVariable(key)} in the environment, which wins over every file.`;
    if (origins[key] === "project")
      return `${key} is set by the file of the project, which wins over the user's.`;
  }
  return undefined;
}

async function written(
  changes: SettingsChanges,
  { events, loaded }: SettingsToolDeps,
  write: () => ReturnType<typeof writeChanges>,
): Promise<ToolResult> {
  const applied = heard(events);
  const result = await write();
  if (!result.ok) {
    applied.stop();
    return failed(`Nothing was changed: ${result.error}. Call again to try once more.`);
  }
  const isInForce = await applied.within(APPLIED_WITHIN_MS);
  const { file, backup } = result.value;
  const when = isInForce ? "It is in force." : "It counts from the next start.";
  const kept = backup === null ? "" : ` What was there before is kept as ${backup}.`;
  const settings = maskedSettings(loaded());
  return output(`Changed ${file}. ${when}${kept}`, {
    file,
    backup,
    in_force: isInForce,
    values: Object.fromEntries(Object.keys(changes).map((key) => [key, valueAt(settings, key)])),
  });
}

/** Listens from now on for settings that were taken over. */
function heard(events: Events) {
  let settle: (isApplied: boolean) => void = () => {};
  const settled = new Promise<boolean>((resolve) => {
    settle = resolve;
  });
  const stop = events.on("settings.applied", () => settle(true));
  return {
    stop,
    async within(ms: number): Promise<boolean> {
      const timer = setTimeout(() => settle(false), ms);
      try {
        return await settled;
      } finally {
        clearTimeout(timer);
        stop();
      }
    },
  };
}

function changeText(changes: SettingsChanges, { loaded }: SettingsToolDeps): string {
  const now = maskedSettings(loaded());
  return Object.entries(changes)
    .map(([key, value]) => {
      const to = value === null ? "its default" : JSON.stringify(value);
      return `${key} from ${JSON.stringify(valueAt(now, key))} to ${to}`;
    })
    .join(", ");
}

function valueAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>(
      (value, part) => (isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      settings,
    );
}
