import type { Clock } from "../lib/clock.ts";
import type { Result } from "../lib/result.ts";
import type { TestReport } from "../upstream/upstream.ts";
import type { ConnectFailure } from "./connection/connect.ts";
import type { Connection } from "./connection/connection.ts";

/** How an attempt to connect went, and how long it took. */
export async function testReport(
  attempt: () => Promise<Result<Connection, ConnectFailure>>,
  clock: Clock,
): Promise<TestReport> {
  const startedAt = clock();
  const connection = await attempt();
  const latency_ms = clock() - startedAt;
  if (!connection.ok) return { ok: false, error: connection.error.message, latency_ms };
  const tools = connection.value.initialTools.tools.map(({ name }) => name);
  return { ok: true, tool_count: tools.length, tools, latency_ms };
}
