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
import { NO_RULE, ruleOfText } from "../rules/rule-text.ts";
import { ACTIONS, ruleInWords, ruleKey } from "../rules/rule-words.ts";
import { OutcomeMark } from "./outcome-mark.tsx";
import { Timeline } from "./timeline.tsx";

/** One call in full. */
export function CallPanel({ id, back }: { id: string; back: string }) {
  const audited = useGet<AuditedCall>(joinPath("audit", "calls", id));
  const call = audited.data?.call;
  return (
    <SidePanel
      title={call ? <UntrustedText text={call.tool ?? call.requested} line mono /> : "Call"}
      closeTo={back}
      actions={call?.tool && <ExplainLink call={call} tool={call.tool} />}
    >
      <QueryView query={audited}>
        {({ call: shown, intent, timeline }) => (
          <>
            <PanelSection>
              <Facts call={shown} />
            </PanelSection>
            {timeline.length > 0 && (
              <PanelSection title="Where the time went">
                <Timeline steps={timeline} />
              </PanelSection>
            )}
            {shown.error !== null && (
              <PanelSection title="Error">
                <Code text={shown.error} label="Error" />
              </PanelSection>
            )}
            <PanelSection title="Arguments">
              <Arguments text={shown.arguments} />
              <p className="mt-1 text-xs text-soft">Without secrets, at most 4 kB.</p>
            </PanelSection>
            {shown.outcome === "ok" && (
              <PanelSection title="Result">
                <p className="text-soft">
                  The audit keeps no results, so that it holds nothing that tools read. One that was too long
                  for the model can be read by its agent for a day, with read_tool_output.
                </p>
              </PanelSection>
            )}
            <PanelSection title="In the chain">
              <KeyValues
                pairs={[
                  ["Call", <Mono key="id" text={shown.id} />],
                  [
                    "Place",
                    shown.chain !== null && <Mono key="place" text={`${shown.chain}:${shown.seq}`} />,
                  ],
                  [
                    "Written before it ran",
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

/** What the rules would say to the same call now. */
function ExplainLink({ call, tool }: { call: CallView; tool: string }) {
  const params = new URLSearchParams({ view: "try", tool });
  if (call.agent !== "operator") params.set("agent", call.agent);
  // An address has room for so much.
  if (call.arguments.length <= 1_500) params.set("args", call.arguments);
  return <ButtonLink to={`/rules?${params}`}>What the rules say now</ButtonLink>;
}

/** How a call reached Toolkeep. */
const VIA: Readonly<Record<string, string>> = {
  mcp: "a client that speaks MCP",
  api: "this page or the command line",
  library: "a program that has Toolkeep built in",
};

function RuleNamed({ text }: { text: string }) {
  const rules = useGet<RuleList>(text === NO_RULE ? undefined : "/rules").data?.rules;
  if (text === NO_RULE) return "none: no rule was about it, so it could run";
  const rule = rules && ruleOfText(rules, text);
  if (!rule) return <UntrustedText text={text} mono />;
  return (
    <TextLink to={joinPath("rules", ruleKey(rule))} title={text}>
      <UntrustedText text={ruleInWords(rule)} />
    </TextLink>
  );
}

function Facts({ call }: { call: CallView }) {
  const action = call.decision === null ? undefined : ACTIONS[call.decision as keyof typeof ACTIONS];
  return (
    <KeyValues
      pairs={[
        ["Outcome", <OutcomeMark key="outcome" outcome={call.outcome} />],
        ["Began", <Exact key="began" at={call.startedAt} />],
        ["Took", call.durationMs !== null && formatDuration(call.durationMs)],
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
          "Asked for",
          call.requested !== call.tool && <UntrustedText key="asked" text={call.requested} mono />,
        ],
        ["Came by", VIA[call.via] ?? call.via],
        [
          "Rules said",
          action && (
            <StateMark key="said" tone={action.tone}>
              {action.label}
            </StateMark>
          ),
        ],
        ["By the rule", call.rule !== null && <RuleNamed key="rule" text={call.rule} />],
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

function Exact({ at }: { at: number }) {
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
