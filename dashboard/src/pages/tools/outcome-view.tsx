import { joinPath } from "../../api/client.ts";
import type { ToolOutcome } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Code, Json } from "../../ui/code.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

type Name = ToolOutcome["outcome"];

const OUTCOMES: Record<Name, readonly [Tone, string]> = {
  ok: ["ok", "It worked"],
  failed: ["bad", "The tool says it did not work"],
  timed_out: ["bad", "It took too long"],
  cancelled: ["neutral", "Cancelled"],
  unknown_tool: ["bad", "There is no such tool"],
  ambiguous_tool: ["bad", "Several tools are called that"],
  not_granted: ["warn", "The agent does not have it"],
  disabled: ["neutral", "It is off"],
  pending_approval: ["warn", "It waits for a person"],
  unavailable: ["bad", "Its server is away"],
  invalid_arguments: ["bad", "The tool does not take that"],
  denied: ["bad", "A rule forbids it"],
  needs_approval: ["warn", "A person is asked first"],
  needs_input: ["warn", "It asks something first"],
  internal_error: ["bad", "Something went wrong in Toolkeep"],
};

/** The word for how a call ended. */
export function OutcomeMark({ outcome }: { outcome: Name | null }) {
  if (outcome === null) return <StateMark tone="neutral">Under way</StateMark>;
  const [tone, words] = OUTCOMES[outcome];
  return <StateMark tone={tone}>{words}</StateMark>;
}

/** How a call ended, and what came back: always as text. */
export function OutcomeView({ outcome }: { outcome: ToolOutcome }) {
  const { error, content, structured, truncated, fullOutput } = outcome;
  const approval = error?.details?.approvalId ?? error?.details?.questionId;
  return (
    <PanelSection
      title="What came back"
      actions={<TextLink to={joinPath("audit", outcome.callId)}>In the audit</TextLink>}
    >
      <div role="status" className="mb-2 flex items-center justify-between gap-2 font-medium">
        <OutcomeMark outcome={outcome.outcome} />
        <span className="font-normal text-soft">{formatDuration(outcome.durationMs)}</span>
      </div>
      {error && (
        <div className="mb-2 rounded-md border border-line bg-page px-3 py-2">
          <UntrustedText text={error.message} />
          {error.remedy && (
            <span className="block text-soft">
              <UntrustedText text={error.remedy} />
            </span>
          )}
          {typeof approval === "string" && (
            <span className="mt-1 block">
              <TextLink to={joinPath("approvals", approval)}>Decide it now</TextLink>, then call again.
            </span>
          )}
        </div>
      )}
      <div className="flex flex-col gap-2">
        {content.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of one answer never move
          <Block key={at} block={block} label={`part ${at + 1} of what came back`} />
        ))}
        {structured && <Json value={structured} label="the structured result" />}
        {content.length === 0 && !structured && !error && <p className="text-soft">Nothing came back.</p>}
      </div>
      {truncated && (
        <p className="mt-2 text-soft">
          Cut here{fullOutput && `; the whole has ${fullOutput.chars.toLocaleString("en")} characters`}.
        </p>
      )}
    </PanelSection>
  );
}

function Block({ block, label }: { block: ToolOutcome["content"][number]; label: string }) {
  if (block.type === "text" && typeof block.text === "string")
    return <Code text={block.text} label={label} />;
  if (typeof block.data === "string") {
    const kind = typeof block.mimeType === "string" ? block.mimeType : block.type;
    const bytes = Math.round((block.data.length * 3) / 4).toLocaleString("en");
    return (
      <p className="rounded-md border border-line bg-page px-3 py-2 text-soft">
        <UntrustedText text={kind} mono />, {bytes} bytes
      </p>
    );
  }
  return <Json value={block} label={label} />;
}
