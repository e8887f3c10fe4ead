import { ToolkeepError } from "../../../contract/errors.ts";
import { type CheckedRequest, HostCheck, type HostProblem } from "../../../lib/http/host-check.ts";
import type { Settings } from "../../../machine/config/settings.ts";

/** Headers that identify the sender, the target or the content, and must not be repeated. */
const SINGLE_HEADERS = [
  "host",
  "authorization",
  "origin",
  "content-type",
  "content-length",
  "mcp-session-id",
  "mcp-protocol-version",
  "x-toolkeep",
];

/** Returns the error to answer a request with, if any. */
export type HostGuard = (request: CheckedRequest) => ToolkeepError | undefined;

/** Allows requests that name this machine, the configured host or the public URL. */
export function createHostCheck({ host, publicUrl }: Pick<Settings, "host" | "publicUrl">): HostCheck {
  return new HostCheck({
    hosts: [host],
    urls: publicUrl === null ? [] : [publicUrl],
    single: SINGLE_HEADERS,
  });
}

/** The same check for requests that go through Fastify. */
export function createHostGuard(settings: Pick<Settings, "host" | "publicUrl">): HostGuard {
  const hosts = createHostCheck(settings);
  return (request) => {
    const problem = hosts.problem(request);
    return problem && toHostError(problem);
  };
}

export function toHostError(problem: HostProblem): ToolkeepError {
  if (problem.kind === "repeated")
    return new ToolkeepError(
      "BAD_REQUEST",
      `the header ${problem.header} must come once; it came more often`,
    );
  const { header, value, allowed } = problem;
  const received = value === undefined ? "nothing" : JSON.stringify(value.slice(0, 200));
  return new ToolkeepError(
    "HOST_REFUSED",
    `the ${header} header must name one of ${allowed.join(", ")}; got ${received}`,
  );
}
