import { PassThrough } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import { serverTest, testQuery, testReport } from "../../../../servers/contract.ts";
import type { StepListener } from "../../../../servers/lifecycle/server-log.ts";
import { toTestedServer } from "../../../../servers/lifecycle/tested-server.ts";
import type { ApiContext } from "../../api-options.ts";
import { gives } from "../../components.ts";
import type { ServerTest, TestLine, TestReport } from "../../contract.ts";
import { DerivedSchema } from "../../derived-schema.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName } from "../../schema.ts";

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
        querystring: new DerivedSchema(testQuery),
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
        body: new DerivedSchema(serverTest),
        querystring: new DerivedSchema(testQuery),
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

/**
 * Sends a line of JSON when a step of the test begins, and one with the report at the end. Rejects if the test fails
 * before its first step, so that the failure is answered like any other.
 */
async function streamTest(
  reply: FastifyReply,
  run: (onStep: StepListener) => Promise<TestReport>,
  clock: () => number,
): Promise<FastifyReply> {
  const startedAt = clock();
  const lines = new PassThrough();
  const write = (line: TestLine) => void lines.write(`${JSON.stringify(line)}\n`);
  let reportStart = () => {};
  const started = new Promise<void>((resolve) => {
    reportStart = resolve;
  });
  const ended = run((step) => {
    write({ step, at_ms: clock() - startedAt });
    reportStart();
  }).then((report) => {
    write({ report });
    lines.end();
  });
  // The status is sent by then: a stream without a report tells the client that the test failed.
  ended.catch(() => lines.end());
  await Promise.race([started, ended]);
  return reply.type("application/x-ndjson; charset=utf-8").header("cache-control", "no-store").send(lines);
}
