import { joinPath } from "../../api/client.ts";
import type { ToolOutcome } from "../../api/contract.ts";

import { Code, Json } from "../../ui/code.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { OutcomeMark } from "../audit/outcome-mark.tsx";

/** How a call ended, and its result, always as text. */
export function OutcomeView({ outcome }: { outcome: ToolOutcome }) {
  const { error, content, structured, truncated, fullOutput } = outcome;
  const approval = error?.details?.approvalId ?? error?.details?.questionId;
  return (
    <PanelSection
      title="Result"
      actions={<TextLink to={joinPath("audit", outcome.callId)}>View in audit log</TextLink>}
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
              <TextLink to={joinPath("approvals", approval)}>Decide now</TextLink>, then call again.
            </span>
          )}
        </div>
      )}
      <div className="flex flex-col gap-2">
        {content.map((block, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one result never move
          <ContentBlock key={at} block={block} label={`Result part ${at + 1}`} />
        ))}
        {structured && <Json value={structured} label="Structured result" />}
        {content.length === 0 && !structured && !error && <p className="text-soft">The result is empty.</p>}
      </div>
      {truncated && (
        <p className="mt-2 text-soft">
          Truncated{fullOutput && `; the full result has ${fullOutput.chars.toLocaleString("en")} characters`}
          .
        </p>
      )}
    </PanelSection>
  );
}

function ContentBlock({ block, label }: { block: ToolOutcome["content"][number]; label: string }) {
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
