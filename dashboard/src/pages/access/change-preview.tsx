import { useState } from "react";
import type { AccessPreview, AgentChange } from "../../api/contract.ts";
import type { Problem } from "../../api/problem.ts";
import { Badge } from "../../ui/badge.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CostChange } from "./cost-line.tsx";
import { formatCount, formatGrantSource } from "./tool-labels.tsx";

/** The changes that saving would make, for each affected agent. */
export function ChangePreview({
  preview,
}: {
  preview: { data: AccessPreview | undefined; error: Problem | null; isFetching: boolean };
}) {
  const { data, error } = preview;
  return (
    <section aria-label="What will change">
      <h3 className="mb-1 text-xs font-semibold tracking-wide text-soft uppercase">What will change</h3>
      <div
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label="Changes"
        className="max-h-48 overflow-y-auto"
      >
        {error ? (
          <FormProblem problem={error} />
        ) : !data ? (
          <p className="text-soft">Checking…</p>
        ) : data.agents.length === 0 ? (
          <p className="text-soft">No agent gains or loses a tool.</p>
        ) : (
          <ul className="flex flex-col gap-3">
            {data.agents.map((change) => (
              <li key={change.agent}>
                <AgentChanges change={change} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function AgentChanges({ change }: { change: AgentChange }) {
  const { agent, added, removed, hidden, unknown, unmatched, before, after } = change;
  const isUnchanged = added.length + removed.length === 0;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">
          <UntrustedText text={agent} />
        </span>
        {added.length > 0 && <Badge tone="ok">+ {formatCount(added.length, "tool")}</Badge>}
        {removed.length > 0 && <Badge tone="bad">− {formatCount(removed.length, "tool")}</Badge>}
        {isUnchanged && <span className="text-soft">same tools</span>}
        <CostChange before={before} after={after} />
      </p>
      <ToolNames sign="+" look="text-ok" tools={added} />
      <ToolNames sign="−" look="text-bad" tools={removed} />
      {hidden.length > 0 && (
        <Note>
          Still hidden by a rule: <UntrustedText text={hidden.map(({ name }) => name).join(", ")} mono /> (
          <UntrustedText text={[...new Set(hidden.map(({ rule }) => rule))].join("; ")} />)
        </Note>
      )}
      {unknown.length > 0 && (
        <Note>
          No tool has these names yet: <UntrustedText text={unknown.join(", ")} mono />
        </Note>
      )}
      {unmatched.length > 0 && (
        <Note>
          No tool matches these patterns yet: <UntrustedText text={unmatched.join(", ")} mono />
        </Note>
      )}
    </>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return <p className="mt-1 text-xs text-warn">{children}</p>;
}

const MAX_NAMES = 8;

function ToolNames({ sign, look, tools }: { sign: string; look: string; tools: AgentChange["added"] }) {
  const [isExpanded, setIsExpanded] = useState(false);
  const visible = isExpanded ? tools : tools.slice(0, MAX_NAMES);
  return (
    <>
      {visible.length > 0 && (
        <ul className="mt-1">
          {visible.map(({ name, grantedBy }) => (
            <li key={name} className="flex gap-2">
              <span className={look} aria-hidden="true">
                {sign}
              </span>
              <span className="min-w-0">
                <UntrustedText text={name} mono />{" "}
                <span className="text-xs text-soft">
                  <UntrustedText text={grantedBy.map(formatGrantSource).join(", ")} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {!isExpanded && tools.length > MAX_NAMES && (
        <button
          type="button"
          className="mt-1 text-accent hover:underline"
          onClick={() => setIsExpanded(true)}
        >
          Show {tools.length - MAX_NAMES} more
        </button>
      )}
    </>
  );
}
