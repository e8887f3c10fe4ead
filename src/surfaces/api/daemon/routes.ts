import { NotificationTable } from "../../../call/questions/tables.ts";
import { defineRoute, type Route } from "../../../contract/define-route.ts";
import { ToolkeepError } from "../../../contract/errors.ts";
import { applyChanges, readUserSettings, writeChanges } from "../../../features/admin/change-settings.ts";
import { checkFeatures } from "../../../features/open-features.ts";
import type { Hub } from "../../../hub.ts";
import type { Result } from "../../../lib/result.ts";
import type { ServerState } from "../../../servers/contract.ts";
import type { ApiContext } from "../api-options.ts";
import * as shapes from "./contract.ts";
import { currentHealth } from "./health.ts";
import { PromptTokens } from "./prompt-tokens.ts";
import { refusalOf, settingList } from "./setting-views.ts";

/** What the daemon says of itself. */
export function daemonRoutes(context: ApiContext): readonly Route[] {
  const { hub, options, calls, startedAt } = context;
  const tokens = new PromptTokens();
  return [
    defineRoute({
      method: "GET",
      path: "/status",
      summary: "Counts what is here",
      answer: shapes.status,
      async handle({ baseUrl }) {
        const { questions, notifications } = await whatWaits(hub);
        return {
          version: options.version,
          uptimeMs: options.clock() - startedAt,
          home: hub.settings.home,
          url: baseUrl,
          store: hub.store.dialect,
          servers: countServers(hub.upstream.servers()),
          agents: hub.identity.agents().length,
          tools: hub.catalog.all().length,
          pendingQuestions: questions.length,
          notifications: notifications.length,
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/home",
      summary: "Says how it goes: the last hour of calls, and what waits",
      answer: shapes.home,
      async handle() {
        const { questions, notifications } = await whatWaits(hub);
        const servers = hub.upstream.servers();
        const approvals = questions.filter(({ kind }) => kind === "approval").length;
        return {
          minutes: calls.minutes(),
          latencies: calls.latencies(),
          tokens: await tokens.byAgent(hub),
          waiting: {
            approvals,
            questions: questions.length - approvals,
            notifications: notifications.length,
            servers: servers.filter(({ state }) => state === "pending_approval" || state === "needs_auth")
              .length,
            changes: servers.reduce((sum, { waiting }) => sum + waiting, 0),
          },
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/checks",
      summary: "Runs the checks of every feature",
      answer: shapes.checkList,
      handle: async () => ({ checks: await checkFeatures(hub.features) }),
    }),
    defineRoute({
      method: "GET",
      path: "/mcp/discovery",
      summary: "Says where MCP clients reach Toolkeep",
      answer: shapes.discovery,
      async handle({ baseUrl }) {
        if (options.gateway?.() === undefined) {
          return { available: false as const, reason: "this process serves no MCP; toolkeep serve does" };
        }
        const url = `${baseUrl}/mcp`;
        const places = (path: string, named: readonly { readonly name: string }[]) =>
          named.map(({ name }) => ({ name, url: `${url}${path}/${encodeURIComponent(name)}` }));
        return {
          available: true as const,
          url,
          rpc_url: `${baseUrl}/rpc`,
          toolboxes: places("", hub.catalog.toolboxes.list()),
          servers: places("/server", hub.upstream.servers()),
          health: await currentHealth(context),
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/config",
      summary: "Shows the settings in force and where they come from",
      answer: shapes.configAnswer,
      handle: async () => options.config(),
    }),
    defineRoute({
      method: "POST",
      path: "/backup",
      summary: "Gives everything that a fresh home needs",
      answer: shapes.backup,
      noStore: true,
      handle: () => options.backup(),
    }),
    defineRoute({
      method: "GET",
      path: "/settings",
      summary: "Lists the settings in force, where each comes from, and which can be changed here",
      answer: shapes.settingList,
      handle: async () => settingList(hub.loaded),
    }),
    defineRoute({
      method: "PATCH",
      path: "/settings",
      summary: "Changes settings in the user's file, of which a copy is kept; counts at once",
      body: shapes.settingChanges,
      answer: shapes.settingsChanged,
      async handle({ body: { changes } }) {
        for (const [key, value] of Object.entries(changes)) {
          const refusal = refusalOf(key, value, hub.loaded);
          if (refusal !== undefined) throw new ToolkeepError("BAD_REQUEST", refusal);
        }
        const file = orThrow(await readUserSettings(hub.settings.home));
        const text = orThrow(applyChanges(file, changes));
        const written = orThrow(await writeChanges(file, text, options.clock));
        await options.reloadSettings();
        return { ...written, ...settingList(hub.loaded) };
      },
    }),
  ];
}

async function whatWaits({ questions, store }: Hub) {
  const [pending, notifications] = await Promise.all([
    questions.list({ state: "pending" }),
    new NotificationTable(store.database).list(),
  ]);
  return { questions: pending, notifications };
}

function countServers(servers: readonly { readonly state: ServerState }[]): shapes.Status["servers"] {
  const counts: Partial<Record<ServerState, number>> = {};
  for (const { state } of servers) counts[state] = (counts[state] ?? 0) + 1;
  return { ...counts, total: servers.length };
}

function orThrow<T>(result: Result<T, string>): T {
  if (result.ok) return result.value;
  throw new ToolkeepError("BAD_REQUEST", `Nothing was changed: ${result.error}`);
}
