import { PassThrough } from "node:stream";
import type { FastifyReply } from "fastify";
import type { StepListener } from "../../../servers/lifecycle/server-log.ts";
import type { TestLine, TestReport } from "../contract.ts";

/**
 * Answers with a line of JSON for every step of a test when it begins, and one with the report at the end. What is wrong
 * before the first step is thrown, so that it is answered as everywhere else.
 */
export async function streamTest(
  reply: FastifyReply,
  run: (onStep: StepListener) => Promise<TestReport>,
  clock: () => number,
): Promise<FastifyReply> {
  const startedAt = clock();
  const lines = new PassThrough();
  const write = (line: TestLine) => void lines.write(`${JSON.stringify(line)}\n`);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = run((step) => {
    write({ step, at_ms: clock() - startedAt });
    begin();
  }).then((report) => {
    write({ report });
    lines.end();
  });
  // Once it streams there is nobody left to throw at; the line that is missing tells.
  ended.catch(() => lines.end());
  await Promise.race([begun, ended]);
  return reply.type("application/x-ndjson; charset=utf-8").header("cache-control", "no-store").send(lines);
}
