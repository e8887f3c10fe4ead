import type { FastifyInstance, FastifyReply } from "fastify";
import { inputSchema } from "../../../../contract/shape.ts";
import { serverTest, testQuery, testReport } from "../../../../servers/contract.ts";
import type { StepListener } from "../../../../servers/lifecycle/server-log.ts";
import { toTestedServer } from "../../../../servers/lifecycle/tested-server.ts";
import type { ApiContext } from "../../api-options.ts";
import { gives } from "../../components.ts";
import type { ServerTest, TestReport } from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName } from "../../schema.ts";
import { streamTest } from "../../tools/test-stream.ts";

interface Streamed {
  Querystring: { stream?: boolean };
}

type Test = (options: { signal: AbortSignal; onStep?: StepListener }) => Promise<TestReport>;

/** Tests of servers, registered or not. Here, because they can stream their steps. */
export function serverTestRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  const { upstream } = hub;
  const answer = (reply: FastifyReply, isStreamed = false, test: Test) => {
    const run = (onStep?: StepListener) =>
      whileConnected(reply, (signal) => test({ signal, ...(onStep && { onStep }) }));
    return isStreamed ? streamTest(reply, run, options.clock) : run();
  };

  app.post<{ Params: { name: string } } & Streamed>(
    "/servers/:name/test",
    {
      schema: {
        role: "operator",
        summary: "Connects to a server anew and lists its tools",
        params: byName,
        querystring: inputSchema(testQuery),
        response: gives(testReport),
      },
    },
    async ({ params, query }, reply): Promise<TestReport | FastifyReply> => {
      const name = upstream.server(params.name).name;
      return await answer(reply, query.stream, (more) => upstream.test(name, more));
    },
  );

  app.post<{ Body: ServerTest } & Streamed>(
    "/mcp/servers/test",
    {
      schema: {
        summary:
          "Tries a configuration that is not registered; with nothing but a name, the server of that name",
        body: inputSchema(serverTest),
        querystring: inputSchema(testQuery),
        response: gives(testReport),
      },
    },
    async ({ body, query }, reply): Promise<TestReport | FastifyReply> => {
      const { name, timeout_ms: timeoutMs, ...rest } = body;
      const isRegistered = name !== undefined && Object.keys(rest).length === 0;
      return await answer(reply, query.stream, (more) =>
        isRegistered
          ? upstream.test(name, more)
          : upstream.testConfig(
              toTestedServer(rest),
              typeof timeoutMs === "number" ? { ...more, timeoutMs } : more,
            ),
      );
    },
  );
}
