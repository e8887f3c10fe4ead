import { useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { AuditedCall, CallView, RuleList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { StateMark } from "../../ui/badge.tsx";
import { Code, Json } from "../../ui/code.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { ButtonLink, TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { formatDuration, Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { ACTIONS, describeRule, ruleKey } from "../rules/rule-labels.ts";
import { findRuleByText, NO_RULE } from "../rules/rule-text.ts";
import { OutcomeMark } from "./outcome-mark.tsx";
import { Timeline } from "./timeline.tsx";

/** One call in full. */
export function CallPanel({ id, closeTo }: { id: string; closeTo: string }) {
  const answer = useGet<AuditedCall>(joinPath("audit", "calls", id));
  const call = answer.data?.call;
  return (
    <SidePanel
      title={call ? <UntrustedText text={call.tool ?? call.requested} line mono /> : "Call"}
      closeTo={closeTo}
      actions={call?.tool && <ExplainLink call={call} tool={call.tool} />}
    >
      <QueryView query={answer}>
        {({ call: loaded, intent, timeline }) => (
          <>
            <PanelSection>
              <Facts call={loaded} />
            </PanelSection>
            {timeline.length > 0 && (
              <PanelSection title="Timeline">
                <Timeline phases={timeline} />
              </PanelSection>
            )}
            {loaded.error !== null && (
              <PanelSection title="Error">
                <Code text={loaded.error} label="Error" />
              </PanelSection>
            )}
            <PanelSection title="Arguments">
              <Arguments text={loaded.arguments} />
              <p className="mt-1 text-xs text-soft">Secrets are removed, and at most 4 kB are stored.</p>
            </PanelSection>
            {loaded.outcome === "ok" && (
              <PanelSection title="Result">
                <p className="text-soft">
                  The audit log does not store results, so that it holds no data that tools read. The agent
                  can read a result that was too long for its model with read_tool_output, for one day.
                </p>
              </PanelSection>
            )}
            <PanelSection title="Audit chain">
              <KeyValues
                pairs={[
                  ["Call", <Mono key="id" text={loaded.id} />],
                  [
                    "Position",
                    loaded.chain !== null && <Mono key="place" text={`${loaded.chain}:${loaded.seq}`} />,
                  ],
                  [
                    "Recorded before the run",
                    intent && <Mono key="intent" text={`${intent.chain}:${intent.seq}`} />,
                  ],
                ]}
              />
            </PanelSection>
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function Mono({ text }: { text: string }) {
  return <span className="font-mono text-xs">{text}</span>;
}

/** Tests the same call against the current rules. */
function ExplainLink({ call, tool }: { call: CallView; tool: string }) {
  const params = new URLSearchParams({ view: "try", tool });
  if (call.agent !== "operator") params.set("agent", call.agent);
  // URLs are limited in length.
  if (call.arguments.length <= 1_500) params.set("args", call.arguments);
  return <ButtonLink to={`/rules?${params}`}>Test against rules</ButtonLink>;
}

/** How a call reached Toolkeep. */
const VIA_LABELS: Readonly<Record<string, string>> = {
  mcp: "MCP client",
  api: "Dashboard, API or command line",
  library: "Program that embeds Toolkeep",
};

function RuleReference({ text }: { text: string }) {
  const rules = useGet<RuleList>(text === NO_RULE ? undefined : "/rules").data?.rules;
  if (text === NO_RULE) return "No rule matched, so the call was allowed";
  const rule = rules && findRuleByText(rules, text);
  if (!rule) return <UntrustedText text={text} mono />;
  return (
    <TextLink to={joinPath("rules", ruleKey(rule))} title={text}>
      <UntrustedText text={describeRule(rule)} />
    </TextLink>
  );
}

function Facts({ call }: { call: CallView }) {
  const action = call.decision === null ? undefined : ACTIONS[call.decision as keyof typeof ACTIONS];
  return (
    <KeyValues
      pairs={[
        ["Outcome", <OutcomeMark key="outcome" outcome={call.outcome} />],
        ["Started", <ExactTime key="began" at={call.startedAt} />],
        ["Duration", call.durationMs !== null && formatDuration(call.durationMs)],
        [
          "Agent",
          call.agent === "operator" ? (
            "operator"
          ) : (
            <TextLink key="agent" to={joinPath("agents", call.agent)}>
              <UntrustedText text={call.agent} />
            </TextLink>
          ),
        ],
        ["Person", call.person !== null && <UntrustedText key="person" text={call.person} />],
        [
          "Tool",
          call.tool !== null && (
            <TextLink key="tool" to={joinPath("tools", call.tool)}>
              <UntrustedText text={call.tool} mono />
            </TextLink>
          ),
        ],
        [
          "Requested as",
          call.requested !== call.tool && <UntrustedText key="asked" text={call.requested} mono />,
        ],
        ["Via", VIA_LABELS[call.via] ?? call.via],
        [
          "Decision",
          action && (
            <StateMark key="said" tone={action.tone}>
              {action.label}
            </StateMark>
          ),
        ],
        ["Rule", call.rule !== null && <RuleReference key="rule" text={call.rule} />],
        [
          "Approval",
          call.approvalId !== null && (
            <TextLink key="approval" to={joinPath("approvals", call.approvalId)}>
              <Mono text={call.approvalId} />
            </TextLink>
          ),
        ],
        ["Approved by", call.approvedBy !== null && <UntrustedText key="by" text={call.approvedBy} />],
        ["Conversation labels", call.labels],
        [
          "Conversation",
          <TextLink key="conversation" to={`/audit?conversation=${encodeURIComponent(call.conversation)}`}>
            <UntrustedText text={call.conversation} mono />
          </TextLink>,
        ],
        ["Token", call.tokenId !== null && <Mono key="token" text={call.tokenId} />],
      ]}
    />
  );
}

function ExactTime({ at }: { at: number }) {
  return (
    <>
      {new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" })}{" "}
      <span className="text-soft">
        (<Time at={at} />)
      </span>
    </>
  );
}

function Arguments({ text }: { text: string }) {
  const value = useMemo(() => {
    try {
      return { json: JSON.parse(text) as unknown };
    } catch {
      return undefined;
    }
  }, [text]);
  return value ? <Json value={value.json} label="Arguments" /> : <Code text={text} label="Arguments" />;
}
