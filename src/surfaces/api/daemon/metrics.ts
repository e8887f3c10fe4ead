import type { FastifyInstance } from "fastify";
import { serverState } from "../../../servers/contract.ts";
import type { ApiContext } from "../api-options.ts";
import type { EventFeed } from "../event-feed.ts";
import { ProcessMetrics } from "../metrics/process-metrics.ts";
import { METRICS_TYPE, type Metric, metricsText, single } from "../metrics/prometheus.ts";

/** `/metrics`, for Prometheus with an admin token. `app` checks who asks. */
export function metricsRoute(app: FastifyInstance, context: ApiContext, feed: EventFeed): void {
  const { calls } = context;
  const own = new ProcessMetrics();
  app.addHook("onClose", async () => own.close());
  const response = { 200: { content: { "text/plain": { schema: { type: "string" } } } } };
  app.get(
    "/metrics",
    { schema: { summary: "Numbers for Prometheus", response } },
    async (_request, reply) => {
      const metrics = [
        ...(await hubMetrics(context)),
        ...calls.metrics(),
        ...loadMetrics(context, feed),
        ...own.metrics(),
      ];
      return reply.type(METRICS_TYPE).header("cache-control", "no-store").send(metricsText(metrics));
    },
  );
}

async function hubMetrics({ hub, options, storeCheck }: ApiContext): Promise<Metric[]> {
  const states = hub.upstream.servers().map(({ state }) => state);
  return [
    {
      name: "toolkeep_build_info",
      kind: "gauge",
      help: "Always 1; the labels say what runs.",
      samples: [
        { labels: { version: options.version, node: process.version, store: hub.store.dialect }, value: 1 },
      ],
    },
    single(
      "toolkeep_store_ready",
      "gauge",
      "1 while the store can be used.",
      (await storeCheck.isReady()) ? 1 : 0,
    ),
    {
      name: "toolkeep_servers",
      kind: "gauge",
      help: "Registered servers by state.",
      samples: serverState.options.map((state) => ({
        labels: { state },
        value: states.filter((each) => each === state).length,
      })),
    },
    single("toolkeep_tools", "gauge", "Tools in the catalogue.", hub.catalog.all().length),
    single("toolkeep_agents", "gauge", "Agents.", hub.identity.agents().length),
  ];
}

function loadMetrics({ hub, options }: ApiContext, feed: EventFeed): Metric[] {
  const gateway = options.gateway?.()?.counts();
  const { waiting, lagMs, lost } = hub.audit.load;
  return [
    ...(gateway
      ? [
          single("toolkeep_mcp_sessions", "gauge", "MCP sessions of the older era.", gateway.sessions),
          single("toolkeep_mcp_streams", "gauge", "Open streams at /mcp.", gateway.streams),
          single("toolkeep_mcp_subscriptions", "gauge", "Subscriptions at /mcp.", gateway.subscriptions),
          single(
            "toolkeep_held_calls",
            "gauge",
            "Calls that wait for their client's answer.",
            gateway.heldCalls,
          ),
        ]
      : []),
    single("toolkeep_audit_waiting", "gauge", "Audit records that wait to be written.", waiting),
    single("toolkeep_audit_lag_seconds", "gauge", "How long the oldest of them has waited.", lagMs / 1_000),
    {
      name: "toolkeep_decisions_total",
      kind: "counter",
      help: "What the rules decided about calls.",
      samples: Object.entries(hub.audit.decisions).map(([decision, value]) => ({
        labels: { decision },
        value,
      })),
    },
    single("toolkeep_audit_lost_total", "counter", "Audit records that could not be written.", lost),
    single("toolkeep_event_streams", "gauge", "Open streams at /api/events.", feed.streams),
  ];
}
