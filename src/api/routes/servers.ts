import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type {
  Done,
  NewServer,
  ServerAnswer,
  ServerChange,
  ServerList,
  ServerTest,
  ServerView,
  TestReport,
} from "../contract.ts";
import { whileConnected } from "../disconnect.ts";
import { byName, exactly, nameText, stringMap } from "../schema.ts";

const path = { type: ["string", "null"], maxLength: 4_096 };
const reach = {
  transport: { enum: ["stdio", "http", "sse"] },
  command: path,
  args: { type: "array", maxItems: 1_000, items: { type: "string", maxLength: 65_536 } },
  env: stringMap,
  cwd: path,
  url: path,
  headers: stringMap,
};
const input = {
  ...reach,
  oauth: { type: ["object", "null"] },
  enabled: { type: "boolean" },
  connect: { enum: ["lazy", "eager"] },
  timeoutMs: { type: ["integer", "null"], minimum: 1, maximum: 600_000 },
  connectTimeoutMs: { type: "integer", minimum: 1, maximum: 600_000 },
  retry: { enum: ["safe", "never", "once"] },
  trusted: { type: "boolean" },
  maxConcurrency: { type: "integer", minimum: 1, maximum: 1_000 },
};

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

  app.get("/servers", (): ServerList => ({ servers: upstream.servers() }));

  app.get<ByName>("/servers/:name", { schema: { params: byName } }, ({ params }) =>
    answer(upstream.server(params.name)),
  );

  app.post<{ Body: NewServer }>(
    "/servers",
    { schema: { body: exactly({ ...input, name: nameText, wait: { type: "boolean" } }, ["name"]) } },
    async ({ body: { name, wait, ...rest } }, reply) => {
      const server = await upstream.add(name, rest);
      if (wait) await upstream.settled();
      reply.code(201);
      return answer(wait ? upstream.server(name) : server);
    },
  );

  app.patch<ByName & { Body: ServerChange }>(
    "/servers/:name",
    { schema: { params: byName, body: exactly({ ...input, name: nameText }) } },
    async ({ params, body }) => answer(await upstream.update(params.name, body)),
  );

  app.delete<ByName>("/servers/:name", { schema: { params: byName } }, async ({ params }): Promise<Done> => {
    await upstream.remove(params.name);
    return { done: true };
  });

  app.post<ByName>(
    "/servers/:name/test",
    { schema: { params: byName } },
    ({ params }, reply): Promise<TestReport> => {
      return whileConnected(reply, (signal) => upstream.test(params.name, { signal }));
    },
  );

  app.post<ByName>("/servers/:name/approve", { schema: { params: byName } }, async ({ params }) => {
    return answer(await upstream.approve(params.name));
  });

  for (const [verb, enabled] of [
    ["enable", true],
    ["disable", false],
  ] as const) {
    app.post<ByName>(`/servers/:name/${verb}`, { schema: { params: byName } }, async ({ params }) => {
      return answer(await upstream.update(params.name, { enabled }));
    });
  }

  app.post<{ Body: ServerTest }>(
    "/mcp/servers/test",
    { schema: { body: exactly({ ...reach, name: nameText, timeout_ms: { type: "number" } }) } },
    ({ body: { name: _, timeout_ms: timeoutMs, ...rest } }, reply): Promise<TestReport> => {
      return whileConnected(reply, (signal) =>
        upstream.testConfig(rest, timeoutMs === undefined ? { signal } : { signal, timeoutMs }),
      );
    },
  );
}
