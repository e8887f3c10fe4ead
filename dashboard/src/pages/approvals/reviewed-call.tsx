import { useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { ReviewedCall } from "../../api/contract.ts";
import { Badge } from "../../ui/badge.tsx";
import { Code, Json } from "../../ui/code.tsx";
import { DiffLines } from "../../ui/diff.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { describeCapability } from "../access/capability-labels.ts";
import { OutcomeMark } from "../audit/outcome-mark.tsx";
import { describeRule, describeSource, ruleKey } from "../rules/rule-labels.ts";
import { describeFinding } from "../servers/finding-labels.ts";

/** A call that needs approval: its arguments, how they differ from the previous call, and why a rule asks. */
export function ReviewedCallSection({ call, title }: { call: ReviewedCall; title: string }) {
  const { tool, rule, askedBy, capabilities, destructive, findings, description, last } = call;
  return (
    <PanelSection title={title}>
      {findings.map(({ kind, field, excerpt }) => (
        <p key={`${kind} ${field}`} className="mb-2 rounded-md border border-warn bg-warn-soft px-3 py-2">
          <strong className="font-medium text-warn">This tool {describeFinding(kind)}</strong> (in{" "}
          <UntrustedText text={field} mono />
          ): <UntrustedText text={excerpt} />
        </p>
      ))}
      <Arguments text={call.arguments} />
      {last ? (
        <div className="mt-3">
          <p className="mb-1 flex flex-wrap items-center gap-x-2 text-soft">
            Compared with{" "}
            <TextLink to={joinPath("audit", last.id)}>
              the previous call, <Time at={last.at} />
            </TextLink>
            <OutcomeMark outcome={last.outcome} />
          </p>
          {last.cut ? (
            <p className="text-soft">
              The previous arguments were too long to store in full, so they cannot be compared.
            </p>
          ) : last.changes.every(({ kind }) => kind === "same") ? (
            <p className="text-soft">The arguments are unchanged.</p>
          ) : (
            <DiffLines label="Changes since the previous call" lines={last.changes} />
          )}
        </div>
      ) : (
        <p className="mt-3 text-soft">This agent has not called this tool before.</p>
      )}
      <div className="mt-3">
        <KeyValues
          pairs={[
            [
              "Tool",
              <TextLink key="tool" to={joinPath("tools", tool)}>
                <UntrustedText text={tool} mono />
              </TextLink>,
            ],
            [
              "Its description",
              description !== null && <UntrustedText key="says" text={description} max={160} />,
            ],
            [
              "Capabilities",
              (destructive || capabilities.length > 0) && (
                <span key="can" className="flex flex-wrap gap-1">
                  {destructive && <Badge tone="bad">Destructive</Badge>}
                  {capabilities.map((capability) => (
                    <Badge key={capability} title={capability}>
                      {describeCapability(capability)}
                    </Badge>
                  ))}
                </span>
              ),
            ],
            [
              "Asked by rule",
              <span key="rule">
                {askedBy ? (
                  <TextLink to={joinPath("rules", ruleKey(askedBy))} title={rule}>
                    <UntrustedText text={describeRule(askedBy)} />
                  </TextLink>
                ) : (
                  <UntrustedText text={rule} mono />
                )}{" "}
                <span className="text-soft">
                  ({askedBy ? <UntrustedText text={describeSource(askedBy)} /> : "this rule no longer exists"}
                  )
                </span>
              </span>,
            ],
          ]}
        />
      </div>
    </PanelSection>
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
