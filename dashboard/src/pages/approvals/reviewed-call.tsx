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
import { capabilityInWords } from "../access/capability-words.ts";
import { OutcomeMark } from "../audit/outcome-mark.tsx";
import { ruleInWords, ruleKey, whereFrom } from "../rules/rule-words.ts";

/** A call that waits for a yes: what it is, what it would do, and how the last such call was different. */
export function ReviewedCallSection({ call, place }: { call: ReviewedCall; place: string }) {
  const { tool, rule, askedBy, capabilities, destructive, findings, description, last } = call;
  return (
    <PanelSection title={place}>
      {findings.map(({ kind, field, excerpt }) => (
        <p key={`${kind} ${field}`} className="mb-2 rounded-md border border-warn bg-warn-soft px-3 py-2">
          <strong className="font-medium text-warn">Look at what the tool says of itself</strong> ({kind} in{" "}
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
              the last such call, <Time at={last.at} />
            </TextLink>
            <OutcomeMark outcome={last.outcome} />
          </p>
          {last.cut ? (
            <p className="text-soft">
              Its arguments were too long to be kept whole, so there is nothing to compare.
            </p>
          ) : last.changes.every(({ kind }) => kind === "same") ? (
            <p className="text-soft">The arguments are the same.</p>
          ) : (
            <DiffLines label="How the arguments differ from the last such call" lines={last.changes} />
          )}
        </div>
      ) : (
        <p className="mt-3 text-soft">This agent has not run this tool before.</p>
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
              "Says of itself",
              description !== null && <UntrustedText key="says" text={description} max={160} />,
            ],
            [
              "What it does",
              (destructive || capabilities.length > 0) && (
                <span key="can" className="flex flex-wrap gap-1">
                  {destructive && <Badge tone="bad">May destroy things</Badge>}
                  {capabilities.map((capability) => (
                    <Badge key={capability} title={capability}>
                      {capabilityInWords(capability)}
                    </Badge>
                  ))}
                </span>
              ),
            ],
            [
              "Asked because",
              <span key="rule">
                {askedBy ? (
                  <TextLink to={joinPath("rules", ruleKey(askedBy))} title={rule}>
                    <UntrustedText text={ruleInWords(askedBy)} />
                  </TextLink>
                ) : (
                  <UntrustedText text={rule} mono />
                )}{" "}
                <span className="text-soft">
                  ({askedBy ? <UntrustedText text={whereFrom(askedBy)} /> : "this rule is gone by now"})
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
