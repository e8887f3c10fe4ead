import type { FastifyInstance } from "fastify";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type {
  Done,
  NewServer,
  ServerAnswer,
  ServerApproval,
  ServerChange,
  ServerList,
  ServerLogPage,
  ServerOffers,
  ServerTest,
  ServerView,
  TestReport,
} from "../contract.ts";
import { whileConnected } from "../disconnect.ts";
import { byName, exactly, nameText, path, serverReach } from "../schema.ts";

const count = { type: "integer", minimum: 0 };
const reach = {
  ...serverReach,
  oauth: {
    type: ["object", "null"],
    additionalProperties: false,
    properties: {
      grant: { enum: ["authorization_code", "client_credentials"] },
      clientId: path,
      clientSecret: path,
      privateKey: { type: ["string", "null"], maxLength: 65_536 },
      privateKeyAlgorithm: { type: ["string", "null"], maxLength: 10 },
      clientMetadataUrl: path,
      scope: path,
    },
  },
  tls: {
    type: ["object", "null"],
    additionalProperties: false,
    properties: { cert: path, key: path, ca: path },
  },
};
/** Ranges are not checked here: the configuration's own check says what they are. */
const input = {
  ...reach,
  enabled: { type: "boolean" },
  connect: { enum: ["lazy", "eager"] },
  keepAlive: { type: "boolean" },
  timeoutMs: { type: ["integer", "null"] },
  progressExtendsTimeout: { type: "boolean" },
  connectTimeoutMs: { type: "integer" },
  retry: { enum: ["safe", "never", "once"] },
  trusted: { type: "boolean" },
  maxConcurrency: { type: "integer" },
};

/** A person may approve whatever it is now, so the body may be missing. */
const approval = { ...exactly({ changedAt: { type: "integer" } }), type: ["object", "null"] };

interface ByName {
  Params: { name: string };
}

export function serverRoutes(app: FastifyInstance, { hub: { upstream } }: ApiContext): void {
  const answer = (server: ServerView): ServerAnswer => ({
    server,
    tools: upstream
      .tools()
      .filter((tool) => tool.origin === `mcp:${server.name}`)
      .map((tool) => tool.name),
  });

  app.get(
    "/servers",
    { schema: { summary: "Lists the servers", response: gives("ServerList") } },
    (): ServerList => ({ servers: upstream.servers() }),
  );

  app.get<ByName>(
    "/servers/:name",
    { schema: { summary: "Shows a server and its tools", params: byName, response: gives("ServerAnswer") } },
    ({ params }) => answer(upstream.server(params.name)),
  );

  app.post<{ Body: NewServer }>(
    "/servers",
    {
      schema: {
        summary: "Registers a server",
        body: exactly({ ...input, name: nameText, wait: { type: "boolean" } }, ["name"]),
        response: gives("ServerAnswer", 201),
      },
    },
    async ({ body: { name, wait, ...rest } }, reply) => {
      const server = await upstream.add(name, rest);
      if (wait) await upstream.settled();
      reply.code(201);
      return answer(wait ? upstream.server(name) : server);
    },
  );

  app.patch<ByName & { Body: ServerChange }>(
    "/servers/:name",
    {
      schema: {
        summary: "Changes a server; blank values of env and headers keep what is stored",
        params: byName,
        body: exactly({ ...input, name: nameText }),
        response: gives("ServerAnswer"),
      },
    },
    async ({ params, body }) => answer(await upstream.update(params.name, body)),
  );

  app.delete<ByName>(
    "/servers/:name",
    { schema: { summary: "Removes a server", params: byName, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await upstream.remove(params.name);
      return { done: true };
    },
  );

  app.post<ByName>(
    "/servers/:name/test",
    {
      schema: {
        summary: "Connects to a server anew and lists its tools",
        params: byName,
        response: gives("TestReport"),
      },
    },
    ({ params }, reply): Promise<TestReport> => {
      return whileConnected(reply, (signal) => upstream.test(params.name, { signal }));
    },
  );

  app.post<ByName & { Body: ServerApproval | null }>(
    "/servers/:name/approve",
    {
      schema: {
        summary: "Approves a server that waits for a person",
        params: byName,
        body: approval,
        response: gives("ServerAnswer"),
      },
    },
    async ({ params, body }) => answer(await upstream.approve(params.name, body ?? {})),
  );

  app.get<ByName>(
    "/servers/:name/offers",
    {
      schema: {
        summary: "Shows what a server offers beside its tools",
        params: byName,
        response: gives("ServerOffers"),
      },
    },
    ({ params }): ServerOffers => {
      const offers = upstream.offers(params.name);
      const of = (wanted: string) =>
        offers.filter(({ kind }) => kind === wanted).map(({ definition }) => definition);
      return {
        instructions: upstream.server(params.name).instructions,
        resources: of("resource"),
        resourceTemplates: of("resource_template"),
        prompts: of("prompt"),
      };
    },
  );

  app.get<ByName & { Querystring: { since?: number; lines?: number } }>(
    "/servers/:name/logs",
    {
      schema: {
        summary: "Shows what a server wrote and what became of it",
        params: byName,
        querystring: exactly({ since: count, lines: count }),
        response: gives("ServerLogPage"),
      },
    },
    ({ params, query: { since, lines } }): ServerLogPage =>
      upstream.logs(params.name, {
        ...(since === undefined ? {} : { since }),
        ...(lines === undefined ? {} : { limit: lines }),
      }),
  );

  for (const [verb, summary, enabled] of [
    ["enable", "Lets a server take part", true],
    ["disable", "Keeps a server out without forgetting it", false],
  ] as const) {
    app.post<ByName>(
      `/servers/:name/${verb}`,
      { schema: { summary, params: byName, response: gives("ServerAnswer") } },
      async ({ params }) => answer(await upstream.update(params.name, { enabled })),
    );
  }

  app.post<{ Body: ServerTest }>(
    "/mcp/servers/test",
    {
      schema: {
        summary:
          "Tries a configuration that is not registered; with nothing but a name, the server of that name",
        body: exactly({ ...reach, name: nameText, timeout_ms: { type: "number" } }),
        response: gives("TestReport"),
      },
    },
    ({ body: { name, timeout_ms: timeoutMs, ...rest } }, reply): Promise<TestReport> => {
      const isRegistered = name !== undefined && Object.keys(rest).length === 0;
      return whileConnected(reply, (signal) =>
        isRegistered
          ? upstream.test(name, { signal })
          : upstream.testConfig(rest, timeoutMs === undefined ? { signal } : { signal, timeoutMs }),
      );
    },
  );
}
