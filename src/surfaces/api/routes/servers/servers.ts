import type { FastifyInstance, FastifyReply } from "fastify";
import type { Tool } from "../../../../contract/tool.ts";
import type { StepListener } from "../../../../servers/lifecycle/server-log.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
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
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName, exactly, nameText, path, serverReach } from "../../schema.ts";
import { mustNotBeUsed } from "../../tools/names-in-use.ts";
import { streamTest } from "../../tools/test-stream.ts";
import { entryKeys, testedServer } from "../../tools/tested-server.ts";

const paths = { type: "array", maxItems: 100, items: { type: "string", maxLength: 4_096 } };
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
  sandbox: {
    type: ["object", "boolean", "string", "null"],
    maxLength: 10,
    additionalProperties: false,
    properties: {
      mode: { enum: ["off", "auto", "required"] },
      network: { type: "boolean" },
      read: paths,
      write: paths,
      memoryMb: { type: ["integer", "null"] },
      processes: { type: ["integer", "null"] },
      cpuSecs: { type: ["integer", "null"] },
      fileMb: { type: ["integer", "null"] },
    },
  },
};
/** The keys as settings files write them, too. */
function bothSpellings<T extends { readonly properties: Readonly<Record<string, object>> }>(schema: T): T {
  const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const written = Object.entries(schema.properties).map(([key, value]) => [snake(key), value] as const);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(written) } };
}

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
  pin: { type: ["boolean", "null"] },
  maxConcurrency: { type: "integer" },
};

/** A person may approve whatever it is now, so the body may be missing. */
const approval = { ...exactly({ changedAt: { type: "integer" } }), type: ["object", "null"] };

interface ByName {
  Params: { name: string };
}

type Test = (more: { signal: AbortSignal; onStep?: StepListener }) => Promise<TestReport>;

/** With `stream` the answer is a line of JSON for each step as it begins, and one with the report. */
const streamed = exactly({ stream: { type: "boolean" } });

interface Streamed {
  Querystring: { stream?: boolean };
}

export function serverRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  const { upstream } = hub;
  const answer = (server: ServerView): ServerAnswer => ({
    server,
    tools: upstream
      .tools()
      .filter((tool) => tool.origin === `mcp:${server.name}` && !isHeld(tool, server))
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
      const before = upstream.hasServer(name) ? upstream.server(name).lastError : null;
      const server = await upstream.add(name, rest);
      if (wait) await upstream.settled(name);
      reply.code(201);
      const replaced = before === null ? {} : { replaced: before };
      return { ...answer(wait ? upstream.server(name) : server), ...replaced };
    },
  );

  app.patch<ByName & { Body: ServerChange }>(
    "/servers/:name",
    {
      schema: {
        summary: "Changes a server; blank values of env and headers keep what is stored",
        params: byName,
        body: exactly({ ...input, name: nameText, prefix: nameText }),
        response: gives("ServerAnswer"),
      },
    },
    async ({ params, body: { prefix, ...change } }) => {
      const isChanged = prefix === undefined || Object.keys(change).length > 0;
      const { name } = isChanged ? await upstream.update(params.name, change) : upstream.server(params.name);
      if (prefix !== undefined)
        await upstream.changePrefix(name, prefix, (changes) => mustNotBeUsed(hub, changes));
      return answer(upstream.server(name));
    },
  );

  app.delete<ByName>(
    "/servers/:name",
    { schema: { summary: "Removes a server", params: byName, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await upstream.remove(params.name);
      return { done: true };
    },
  );

  const answerTest = (reply: FastifyReply, isStreamed = false, test: Test) => {
    const run = (onStep?: StepListener) =>
      whileConnected(reply, (signal) => test({ signal, ...(onStep && { onStep }) }));
    return isStreamed ? streamTest(reply, run, options.clock) : run();
  };

  app.post<ByName & Streamed>(
    "/servers/:name/test",
    {
      schema: {
        role: "operator",
        summary: "Connects to a server anew and lists its tools",
        params: byName,
        querystring: streamed,
        response: gives("TestReport"),
      },
    },
    async ({ params, query }, reply): Promise<TestReport | FastifyReply> => {
      const name = upstream.server(params.name).name;
      return await answerTest(reply, query.stream, (more) => upstream.test(name, more));
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

  for (const [verb, summary, trusted] of [
    ["trust", "Believes what a server says of its tools", true],
    ["untrust", "Believes only what makes things safer", false],
  ] as const) {
    app.post<ByName>(
      `/servers/:name/${verb}`,
      { schema: { summary, params: byName, response: gives("ServerAnswer") } },
      async ({ params }) => answer(await upstream.update(params.name, { trusted })),
    );
  }

  app.post<{ Body: ServerTest } & Streamed>(
    "/mcp/servers/test",
    {
      schema: {
        summary:
          "Tries a configuration that is not registered; with nothing but a name, the server of that name",
        body: exactly({
          ...reach,
          oauth: bothSpellings(reach.oauth),
          sandbox: bothSpellings(reach.sandbox),
          ...entryKeys,
          name: nameText,
        }),
        querystring: streamed,
        response: gives("TestReport"),
      },
    },
    async (request, reply): Promise<TestReport | FastifyReply> => {
      const { name, timeout_ms: timeoutMs, ...rest } = request.body;
      const isRegistered = name !== undefined && Object.keys(rest).length === 0;
      return await answerTest(reply, request.query.stream, (more) =>
        isRegistered
          ? upstream.test(name, more)
          : upstream.testConfig(
              testedServer(rest),
              typeof timeoutMs === "number" ? { ...more, timeoutMs } : more,
            ),
      );
    },
  );
}

/** What nobody accepted is no tool yet. */
function isHeld(tool: Tool, { state }: ServerView): boolean {
  return state !== "pending_approval" && tool.status().kind === "pending_approval";
}
