import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentTool, AgentTools } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { TextInput } from "../../ui/form.tsx";
import { Link } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CostLine } from "../access/cost-line.tsx";
import { formatCompact, GrantSources } from "../access/tool-labels.tsx";

/** Every tool of an agent, why it has it, and what its list costs. */
export function ToolsTab({ name }: { name: string }) {
  const answer = useGet<AgentTools>(`${joinPath("agents", name)}/tools`);
  return (
    <QueryView query={answer}>
      {(data) => (
        <>
          <PanelSection title="Prompt cost">
            <CostLine cost={data.cost} />
            <Notes data={data} />
          </PanelSection>
          <PanelSection title="Tools and their tokens">
            <ToolSearchList tools={data.tools} />
          </PanelSection>
        </>
      )}
    </QueryView>
  );
}

function Notes({ data: { hidden, unknown, unmatched, planned } }: { data: AgentTools }) {
  const lines: readonly (readonly [string, string])[] = [
    ["Hidden by a rule", hidden.map(({ name, rule }) => `${name} (${rule})`).join(", ")],
    ["Granted names without a tool", unknown.join(", ")],
    ["Patterns that match no tool yet", unmatched.join(", ")],
    ["Planned", planned.join(", ")],
  ];
  const visible = lines.filter(([, names]) => names !== "");
  if (visible.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-col gap-1 text-xs text-soft">
      {visible.map(([words, names]) => (
        <li key={words}>
          {words}: <UntrustedText text={names} mono max={200} />
        </li>
      ))}
    </ul>
  );
}

const ROW_HEIGHT = 44;

function ToolSearchList({ tools }: { tools: readonly AgentTool[] }) {
  const [query, setQuery] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const text = query.trim().toLowerCase();
  const matches = tools.filter(
    ({ name, grantedBy }) => name.includes(text) || grantedBy.some((source) => source.includes(text)),
  );
  const virtual = useVirtualizer({
    count: matches.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  return (
    <>
      <TextInput
        aria-label="Find a tool"
        placeholder="Name or source"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <div
        ref={scroller}
        role="region"
        aria-label="Tools of the agent"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        className="mt-2 h-[28rem] max-h-[60vh] overflow-y-auto rounded-md border border-line"
      >
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <li
              key={matches[index]!.name}
              className="absolute inset-x-0 border-b border-line"
              style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
            >
              <ToolRow tool={matches[index]!} />
            </li>
          ))}
        </ul>
        {matches.length === 0 && <p className="px-3 py-6 text-center text-soft">No matching tools.</p>}
      </div>
    </>
  );
}

function ToolRow({ tool: { name, grantedBy, deferred, tokens } }: { tool: AgentTool }) {
  return (
    <Link
      to={joinPath("tools", name)}
      className="grid h-full grid-cols-[minmax(0,1fr)_auto_3.5rem] content-center items-center gap-x-2 px-3 hover:bg-hover"
    >
      <UntrustedText text={name} mono line />
      {deferred ? <Badge>deferred</Badge> : <span />}
      <span className="text-end text-xs text-soft">{formatCompact(tokens)}</span>
      <span className="col-span-3 text-xs text-soft">
        <GrantSources sources={grantedBy} />
      </span>
    </Link>
  );
}
