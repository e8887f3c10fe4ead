import { isAbsolute } from "node:path";
import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { getHostContext } from "../../../../features/clients/client.ts";
import { type Discovery, discover } from "../../../../features/clients/discover.ts";
import { planImport, type RegisteredServer } from "../../../../features/clients/import/import-plan.ts";
import { isImported, toCandidate, toPreview } from "../../../../features/clients/import/import-preview.ts";
import { discoverPasted } from "../../../../features/clients/import/pasted.ts";
import { digestReach } from "../../../../features/clients/reach.ts";
import type { Hub } from "../../../../hub.ts";
import { readSettingsText } from "../../../../machine/config/edit/settings-text.ts";
import { define } from "../../../../servers/lifecycle/definition.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  ImportAnswer,
  ImportPreview,
  ImportQuestion,
  ImportResult,
  ImportServer,
  ImportVerdict,
  ImportVerdicts,
  NewImport,
  PastedServers,
  ServerInput,
} from "../../contract.ts";
import { exactly, filledText, nameList, serverReach } from "../../schema.ts";

const folder = filledText(4_096);
const pasted = filledText(500_000);
const time = { type: "integer", minimum: 1, maximum: 600_000 };
const parts = { type: "array", maxItems: 2_000, items: { type: "string", maxLength: 4_200 } };
const digest = { type: "string", pattern: "^[0-9a-f]{64}$" };
const loose = {
  references: parts,
  optional: parts,
  digest,
  keysDigest: digest,
  isWhole: { type: "boolean" },
};
const candidate = {
  // Clients allow longer names than Toolkeep; they are shortened.
  name: { type: "string", maxLength: 1_000 },
  clients: { ...nameList, maxItems: 100 },
  digests: { type: "array", maxItems: 100, items: digest },
  loose: exactly(loose, Object.keys(loose)),
  skipped: { type: ["string", "null"], maxLength: 4_096 },
};
const server = {
  ...candidate,
  ...serverReach,
  oauth: { type: ["object", "null"] },
  enabled: { type: "boolean" },
  timeoutMs: time,
  connectTimeoutMs: time,
};
const required = ["name", "clients", "digests"];
const listOf = (properties: Record<string, object>) => ({
  type: "array",
  maxItems: 1_000,
  items: exactly(properties, required),
});

/** Servers of other programs: what could be taken over, and taking it over. */
export function importRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  const here = (cwd: string | undefined): Promise<Discovery> => {
    const host = getHostContext(options.env, "");
    const ownUrl = `${options.url()}/mcp`;
    return discover({
      host: { ...host, cwd: checkFolder(cwd ?? host.home) },
      readText: readSettingsText,
      ownUrl,
    });
  };

  const preview = async ({ servers, files }: Discovery): Promise<ImportPreview> => {
    const verdicts = planImport(servers.map(toCandidate), await registered(hub));
    return { servers: servers.map((found, index) => toPreview(found, verdicts[index]!)), files };
  };

  app.get<{ Querystring: { cwd?: string } }>(
    "/imports",
    {
      schema: {
        role: "admin",
        summary: "Shows the servers of MCP clients on the daemon's machine",
        querystring: exactly({ cwd: folder }),
        response: gives("ImportPreview"),
      },
    },
    async ({ query }): Promise<ImportPreview> => preview(await here(query.cwd)),
  );

  const inText = (text: string): Promise<Discovery> =>
    discoverPasted(text, { host: getHostContext(options.env, ""), ownUrl: `${options.url()}/mcp` });

  app.post<{ Body: PastedServers }>(
    "/imports/pasted",
    {
      schema: {
        summary: "Shows the servers in a text: settings of any client, or the part that READMEs show",
        body: exactly({ text: pasted }, ["text"]),
        response: gives("ImportPreview"),
      },
    },
    async ({ body }): Promise<ImportPreview> => preview(await inText(body.text)),
  );

  app.post<{ Body: ImportQuestion }>(
    "/imports/preview",
    {
      schema: {
        summary: "Says what would happen to servers found elsewhere",
        body: exactly({ servers: listOf(candidate) }, ["servers"]),
        response: gives("ImportVerdicts"),
      },
    },
    async ({ body }): Promise<ImportVerdicts> => ({
      verdicts: planImport(body.servers, await registered(hub)),
    }),
  );

  app.post<{ Body: NewImport }>(
    "/imports",
    {
      schema: {
        summary: "Registers servers of MCP clients",
        response: gives("ImportAnswer"),
        body: exactly({
          servers: listOf(server),
          names: nameList,
          text: pasted,
          cwd: folder,
          wait: { type: "boolean" },
        }),
      },
    },
    async ({ body: { servers, names, text, cwd, wait } }): Promise<ImportAnswer> => {
      if ((servers === undefined) === (names === undefined)) {
        throw new ToolkeepError("BAD_REQUEST", "expected servers or names, one of the two");
      }
      const found =
        servers ??
        (await (text === undefined ? here(cwd) : inText(text))).servers.map((one) => ({
          ...one.fields,
          ...toCandidate(one),
        }));
      const verdicts = planImport(found, await registered(hub));
      const wanted = found
        .map((one, index) => ({ server: one as ImportServer, verdict: verdicts[index]! }))
        .filter(({ verdict }) => names === undefined || ("name" in verdict && names.includes(verdict.name)));
      checkNames(names ?? [], verdicts);

      const errors = new Map<ImportVerdict, string>();
      for (const one of wanted) {
        const problem = await importServer(hub, one);
        if (problem !== undefined) errors.set(one.verdict, problem);
      }
      if (wait) await hub.upstream.settled();
      return { results: wanted.map(({ verdict }) => resultOf(hub, verdict, errors.get(verdict) ?? null)) };
    },
  );
}

/** What is wrong with it, where something is. */
async function importServer(
  { upstream }: Hub,
  { server, verdict }: { readonly server: ImportServer; readonly verdict: ImportVerdict },
): Promise<string | undefined> {
  if (!isImported(verdict)) return undefined;
  const {
    name: _name,
    clients: _clients,
    digests: _digests,
    loose: _loose,
    skipped: _skipped,
    ...fields
  } = server;
  try {
    if (verdict.kind === "completed") await upstream.update(verdict.name, { ...fields, enabled: true });
    else await upstream.add(verdict.name, fields as ServerInput);
    return undefined;
  } catch (error) {
    if (error instanceof ToolkeepError) return error.message;
    throw error;
  }
}

function resultOf({ upstream }: Hub, verdict: ImportVerdict, error: string | null): ImportResult {
  const isThere = error === null && verdict.kind !== "skipped";
  return { verdict, server: isThere ? upstream.server(verdict.name) : null, error };
}

/** Every server with what it is reached by, secrets included: values differ where nothing else does. */
async function registered({ store, settings, vault }: Hub): Promise<RegisteredServer[]> {
  const declared = new Map(settings.servers.map((one) => [one.name, one]));
  const records = await store.servers.list();
  return records.flatMap((record) => {
    const config = define(record, declared.get(record.name), settings, vault)?.config;
    if (!config) return [];
    const { name } = record;
    const enabled = config.enabled && record.enabled;
    return [{ name, digest: digestReach(config), reach: config, enabled, source: config.source }];
  });
}

function checkFolder(cwd: string): string {
  if (isAbsolute(cwd)) return cwd;
  throw new ToolkeepError(
    "BAD_REQUEST",
    `cwd: expected the whole path of a folder, got ${JSON.stringify(cwd)}`,
  );
}

function checkNames(names: readonly string[], verdicts: readonly ImportVerdict[]): void {
  const known = new Set(verdicts.map((verdict) => ("name" in verdict ? verdict.name : "")));
  const wrong = names.find((name) => !known.has(name));
  if (wrong !== undefined)
    throw new ToolkeepError(
      "NOT_FOUND",
      `no server that could be imported is named ${JSON.stringify(wrong)}`,
    );
}
