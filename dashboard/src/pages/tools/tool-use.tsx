import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { joinPath } from "../../api/client.ts";
import type { AuditPage, CallSummary, ToolUse } from "../../api/contract.ts";
import { invalidate, useGet } from "../../api/use-api.ts";
import { useEvents } from "../../app/live-context.tsx";
import { Link, TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { formatDuration, Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { DecisionMark, formatCount, GrantSources } from "../access/tool-labels.tsx";
import { OutcomeMark } from "../audit/outcome-mark.tsx";

const MAX_CALLS = 20;
/** Audit records are written up to 200 ms after the call. */
const AUDIT_DELAY_MS = 500;

/** Which agents have the tool and why, and how its calls went. */
export function ToolUseTab({ name }: { name: string }) {
  const path = `${joinPath("tools", name)}/use`;
  const use = useGet<ToolUse>(path);
  const queries = useQueryClient();
  const timer = useRef<number | undefined>(undefined);
  useEvents((event, { tool }) => {
    if (event !== "call.ended" || tool !== name || timer.current !== undefined) return;
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      void invalidate(queries, [path]);
    }, AUDIT_DELAY_MS);
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return (
    <>
      <QueryView query={use}>
        {({ agents, calls, callers }) => (
          <>
            <PanelSection title="Last 7 days">
              <CallFigures calls={calls} />
              {callers.length > 0 && (
                <p className="mt-2 text-soft">
                  {callers.map(({ agent, calls: made }, at) => (
                    <span key={agent}>
                      {at > 0 && ", "}
                      <Caller agent={agent} /> {made.toLocaleString("en")}
                    </span>
                  ))}
                </p>
              )}
            </PanelSection>
            <PanelSection title="Agents">
              <AgentsWithTool agents={agents} />
            </PanelSection>
          </>
        )}
      </QueryView>
      <PanelSection
        title="Latest calls"
        actions={<TextLink to={`/audit?tool=${encodeURIComponent(name)}`}>View in audit log</TextLink>}
      >
        <LatestCalls name={name} />
      </PanelSection>
    </>
  );
}

function Caller({ agent }: { agent: string }) {
  if (agent === "operator") return <>People</>;
  return (
    <TextLink to={joinPath("agents", agent)}>
      <UntrustedText text={agent} />
    </TextLink>
  );
}

function CallFigures({ calls }: { calls: CallSummary }) {
  const { counted: made, more, failed, refused, p50Ms, p95Ms } = calls;
  if (made === 0) return <p className="text-soft">No calls.</p>;
  const executed = made - refused;
  const figures: readonly (readonly [string, string])[] = [
    ["Calls", `${made.toLocaleString("en")}${more ? "+" : ""}`],
    ["Failed", executed === 0 ? "—" : `${failed} (${Math.round((100 * failed) / executed)}%)`],
    ["Refused", String(refused)],
    ["p50", p50Ms === null ? "—" : formatDuration(p50Ms)],
    ["p95", p95Ms === null ? "—" : formatDuration(p95Ms)],
  ];
  return (
    <>
      <dl className="grid grid-cols-5 gap-2 max-sm:grid-cols-3">
        {figures.map(([label, value]) => (
          <div key={label} className="flex flex-col-reverse">
            <dt className="text-xs text-soft">{label}</dt>
            <dd className="text-base font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
      {more && <p className="mt-1 text-xs text-soft">Based on the latest {formatCount(made, "call")}.</p>}
    </>
  );
}

function AgentsWithTool({ agents }: { agents: ToolUse["agents"] }) {
  if (agents.length === 0) return <p className="text-soft">No agent has this tool.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {agents.map(({ agent, grantedBy, listed, decision, rule }) => (
        <li key={agent} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
          <TextLink to={joinPath("agents", agent)}>
            <UntrustedText text={agent} />
          </TextLink>
          <DecisionMark decision={decision} rule={rule} />
          <span className="col-span-2 flex gap-1 text-xs text-soft">
            <GrantSources sources={grantedBy} />
            <span className="shrink-0">
              {decision === "deny" ? "· hidden" : listed ? "· listed" : "· deferred"}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function LatestCalls({ name }: { name: string }) {
  const page = useGet<AuditPage>("/audit", { params: { tool: name, limit: MAX_CALLS } });
  return (
    <QueryView query={page} rows={3}>
      {({ calls }) =>
        calls.length === 0 ? (
          <p className="text-soft">No calls yet.</p>
        ) : (
          <ul>
            {calls.map(({ id, agent, outcome, startedAt, durationMs }) => (
              <li key={id}>
                <Link
                  to={joinPath("audit", id)}
                  className="-mx-2 grid grid-cols-[minmax(0,1fr)_minmax(0,5rem)_4rem_6.5rem] items-center gap-2 rounded px-2 py-1 hover:bg-hover"
                >
                  <OutcomeMark outcome={outcome} />
                  <UntrustedText text={agent} line />
                  <span className="text-end text-soft">
                    {durationMs === null ? "" : formatDuration(durationMs)}
                  </span>
                  <span className="text-end text-soft">
                    <Time at={startedAt} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  );
}
