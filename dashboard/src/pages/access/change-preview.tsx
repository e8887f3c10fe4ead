import { useState } from "react";
import type { AccessPreview, AgentChange } from "../../api/contract.ts";
import type { Problem } from "../../api/problem.ts";
import { Badge } from "../../ui/badge.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CostChange } from "./cost-line.tsx";
import { counted, sourceWords } from "./tool-words.tsx";

/** What saving would do, for each agent it touches. */
export function ChangePreview({
  preview,
}: {
  preview: { data: AccessPreview | undefined; error: Problem | null; isFetching: boolean };
}) {
  const { data, error } = preview;
  return (
    <section aria-label="What saving will change">
      <h3 className="mb-1 text-xs font-semibold tracking-wide text-soft uppercase">
        What saving will change
      </h3>
      <div
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        role="region"
        aria-label="Changes"
        className="max-h-48 overflow-y-auto"
      >
        {error ? (
          <FormProblem problem={error} />
        ) : !data ? (
          <p className="text-soft">Looking …</p>
        ) : data.agents.length === 0 ? (
          <p className="text-soft">No agent gains or loses a tool.</p>
        ) : (
          <ul className="flex flex-col gap-3">
            {data.agents.map((change) => (
              <li key={change.agent}>
                <Change change={change} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Change({ change }: { change: AgentChange }) {
  const { agent, added, removed, hidden, unknown, unmatched, before, after } = change;
  const isSame = added.length + removed.length === 0;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">
          <UntrustedText text={agent} />
        </span>
        {added.length > 0 && <Badge tone="ok">+ {counted(added.length, "tool")}</Badge>}
        {removed.length > 0 && <Badge tone="bad">− {counted(removed.length, "tool")}</Badge>}
        {isSame && <span className="text-soft">the same tools</span>}
        <CostChange before={before} after={after} />
      </p>
      <Names sign="+" look="text-ok" tools={added} />
      <Names sign="−" look="text-bad" tools={removed} />
      {hidden.length > 0 && (
        <Note>
          Hidden by a rule all the same:{" "}
          <UntrustedText text={hidden.map(({ name }) => name).join(", ")} mono /> (
          <UntrustedText text={[...new Set(hidden.map(({ rule }) => rule))].join("; ")} />)
        </Note>
      )}
      {unknown.length > 0 && (
        <Note>
          Nothing has these names yet: <UntrustedText text={unknown.join(", ")} mono />
        </Note>
      )}
      {unmatched.length > 0 && (
        <Note>
          No tool fits these patterns yet: <UntrustedText text={unmatched.join(", ")} mono />
        </Note>
      )}
    </>
  );
}

function Note({ children }: { children: React.ReactNode }) {
  return <p className="mt-1 text-xs text-warn">{children}</p>;
}

const FIRST = 8;

function Names({ sign, look, tools }: { sign: string; look: string; tools: AgentChange["added"] }) {
  const [all, setAll] = useState(false);
  const shown = all ? tools : tools.slice(0, FIRST);
  return (
    <>
      {shown.length > 0 && (
        <ul className="mt-1">
          {shown.map(({ name, grantedBy }) => (
            <li key={name} className="flex gap-2">
              <span className={look} aria-hidden="true">
                {sign}
              </span>
              <span className="min-w-0">
                <UntrustedText text={name} mono />{" "}
                <span className="text-xs text-soft">
                  <UntrustedText text={grantedBy.map(sourceWords).join(", ")} />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {!all && tools.length > FIRST && (
        <button type="button" className="mt-1 text-accent hover:underline" onClick={() => setAll(true)}>
          and {tools.length - FIRST} more
        </button>
      )}
    </>
  );
}
