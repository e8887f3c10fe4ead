import { isAbsolute } from "node:path";
import type { Catalog } from "../../call/catalog/catalog.ts";
import { defineRoute, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { readSettingsText } from "../../machine/config/edit/settings-text.ts";
import type { Upstream } from "../../servers/upstream.ts";
import { getHostContext } from "./client.ts";
import type { ImportPreview, ImportResult, ImportServer, ImportVerdict } from "./contract.ts";
import * as shapes from "./contract.ts";
import { type Discovery, discover } from "./discover.ts";
import { planImport, type RegisteredServer } from "./import/import-plan.ts";
import { isImported, toCandidate, toPreview } from "./import/import-preview.ts";
import { discoverPasted } from "./import/pasted.ts";
import { digestReach } from "./reach.ts";
import { createSnippets } from "./snippets.ts";

export interface ClientRouteDeps {
  readonly upstream: () => Upstream;
  readonly catalog: () => Pick<Catalog, "toolboxes">;
  /** The daemon's environment, by which the settings of clients on its machine are found. */
  readonly baseEnv: NodeJS.ProcessEnv;
}

/** No token looks like it. */
const PLACEHOLDER = "YOUR_TOKEN";

/** Servers of other programs: what could be imported, and importing it; what to write into the settings of clients. */
export function clientRoutes({ upstream, catalog, baseEnv }: ClientRouteDeps): readonly Route[] {
  const host = () => getHostContext(baseEnv, "");
  const ownUrl = (baseUrl: string) => `${baseUrl}/mcp`;
  const discoverHere = (baseUrl: string, cwd = host().home) =>
    discover({
      host: { ...host(), cwd: requireWholePath(cwd) },
      readText: readSettingsText,
      ownUrl: ownUrl(baseUrl),
    });
  const discoverIn = (text: string, baseUrl: string) =>
    discoverPasted(text, { host: host(), ownUrl: ownUrl(baseUrl) });
  const preview = ({ servers, files }: Discovery): ImportPreview => {
    const verdicts = planImport(servers.map(toCandidate), listRegistered(upstream()));
    return { servers: servers.map((server, index) => toPreview(server, verdicts[index]!)), files };
  };
  return [
    defineRoute({
      method: "GET",
      path: "/imports",
      role: "admin",
      summary: "Shows the servers of MCP clients on the daemon's machine",
      query: shapes.importQuery,
      answer: shapes.importPreview,
      handle: async ({ query, baseUrl }) => preview(await discoverHere(baseUrl, query.cwd)),
    }),
    defineRoute({
      method: "POST",
      path: "/imports/pasted",
      summary: "Shows the servers in a text: settings of any client, or the part that READMEs show",
      body: shapes.pastedServers,
      answer: shapes.importPreview,
      handle: async ({ body, baseUrl }) => preview(await discoverIn(body.text, baseUrl)),
    }),
    defineRoute({
      method: "POST",
      path: "/imports/preview",
      summary: "Says what would happen to servers found elsewhere",
      body: shapes.importQuestion,
      answer: shapes.importVerdicts,
      handle: async ({ body }) => ({ verdicts: planImport(body.servers, listRegistered(upstream())) }),
    }),
    defineRoute({
      method: "POST",
      path: "/imports",
      summary: "Registers servers of MCP clients",
      body: shapes.newImport,
      answer: shapes.importAnswer,
      async handle({ body: { servers, names, text, cwd, wait }, baseUrl }) {
        if ((servers === undefined) === (names === undefined)) {
          throw new ToolkeepError("BAD_REQUEST", "expected servers or names, one of the two");
        }
        const discovered = async () =>
          (await (text === undefined ? discoverHere(baseUrl, cwd) : discoverIn(text, baseUrl))).servers.map(
            (server): ImportServer => ({ ...server.fields, ...toCandidate(server) }),
          );
        const candidates = servers ?? (await discovered());
        const verdicts = planImport(candidates, listRegistered(upstream()));
        const wanted = candidates
          .map((server, index) => ({ server, verdict: verdicts[index]! }))
          .filter(
            ({ verdict }) => names === undefined || ("name" in verdict && names.includes(verdict.name)),
          );
        requireNames(names ?? [], verdicts);

        const errors = new Map<ImportVerdict, string>();
        for (const { server, verdict } of wanted) {
          const problem = await importServer(upstream(), server, verdict);
          if (problem !== undefined) errors.set(verdict, problem);
        }
        if (wait) await upstream().settled();
        return {
          results: wanted.map(({ verdict }) => toResult(upstream(), verdict, errors.get(verdict) ?? null)),
        };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/mcp/snippets",
      summary: "Shows what to write into the settings of MCP clients, with a placeholder for the token",
      query: shapes.snippetQuery,
      answer: shapes.snippetList,
      async handle({ query: { toolbox }, baseUrl }) {
        const path =
          toolbox === undefined ? "" : `/${encodeURIComponent(catalog().toolboxes.get(toolbox).name)}`;
        const access = {
          url: `${baseUrl}/mcp${path}`,
          token: PLACEHOLDER,
          command: "toolkeep",
          args: ["stdio"],
          env: { TOOLKEEP_URL: baseUrl, TOOLKEEP_TOKEN: PLACEHOLDER },
        };
        return { snippets: createSnippets(access, process.platform), placeholder: PLACEHOLDER };
      },
    }),
  ];
}

/** Resolves with what is wrong with the server, if anything is. */
async function importServer(
  upstream: Upstream,
  server: ImportServer,
  verdict: ImportVerdict,
): Promise<string | undefined> {
  if (!isImported(verdict)) return undefined;
  const { name: _name, clients: _clients, digests: _digests, loose: _loose, ...others } = server;
  const { skipped: _skipped, ...fields } = others;
  try {
    if (verdict.kind === "completed") await upstream.update(verdict.name, { ...fields, enabled: true });
    else await upstream.add(verdict.name, fields);
    return undefined;
  } catch (error) {
    if (error instanceof ToolkeepError) return error.message;
    throw error;
  }
}

function toResult(upstream: Upstream, verdict: ImportVerdict, error: string | null): ImportResult {
  const isRegistered = error === null && verdict.kind !== "skipped";
  return { verdict, server: isRegistered ? upstream.server(verdict.name) : null, error };
}

/** Every server with what it is reached by, secrets included: values differ where nothing else does. */
function listRegistered(upstream: Upstream): RegisteredServer[] {
  return upstream.definitions().map(({ record, config }) => ({
    name: record.name,
    digest: digestReach(config),
    reach: config,
    enabled: config.enabled && record.enabled,
    source: config.source,
  }));
}

function requireWholePath(cwd: string): string {
  if (isAbsolute(cwd)) return cwd;
  throw new ToolkeepError(
    "BAD_REQUEST",
    `cwd: expected the whole path of a folder, got ${JSON.stringify(cwd)}`,
  );
}

function requireNames(names: readonly string[], verdicts: readonly ImportVerdict[]): void {
  const known = new Set(verdicts.map((verdict) => ("name" in verdict ? verdict.name : "")));
  const wrong = names.find((name) => !known.has(name));
  if (wrong !== undefined)
    throw new ToolkeepError(
      "NOT_FOUND",
      `no server that could be imported is named ${JSON.stringify(wrong)}`,
    );
}
