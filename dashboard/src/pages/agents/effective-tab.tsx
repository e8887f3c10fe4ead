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
import { GrantSources, short } from "../access/tool-words.tsx";

/** Everything an agent sees, where each tool comes from, and what its list costs. */
export function EffectiveTab({ name }: { name: string }) {
  const answer = useGet<AgentTools>(`${joinPath("agents", name)}/tools`);
  return (
    <QueryView query={answer}>
      {(data) => (
        <>
          <PanelSection title="What its models read">
            <CostLine cost={data.cost} />
            <Notes data={data} />
          </PanelSection>
          <PanelSection title="Every tool it has, and the tokens of each">
            <Tools tools={data.tools} />
          </PanelSection>
        </>
      )}
    </QueryView>
  );
}

function Notes({ data: { hidden, unknown, unmatched, planned } }: { data: AgentTools }) {
  const lines: readonly (readonly [string, string])[] = [
    ["Given, and hidden by a rule", hidden.map(({ name, rule }) => `${name} (${rule})`).join(", ")],
    ["Given, and nothing has these names", unknown.join(", ")],
    ["Patterns that fit no tool yet", unmatched.join(", ")],
    ["Not there yet", planned.join(", ")],
  ];
  const told = lines.filter(([, names]) => names !== "");
  if (told.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-col gap-1 text-xs text-soft">
      {told.map(([words, names]) => (
        <li key={words}>
          {words}: <UntrustedText text={names} mono max={200} />
        </li>
      ))}
    </ul>
  );
}

const ROW = 44;

function Tools({ tools }: { tools: readonly AgentTool[] }) {
  const [typed, setTyped] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = typed.trim().toLowerCase();
  const shown = tools.filter(
    ({ name, grantedBy }) => name.includes(wanted) || grantedBy.some((source) => source.includes(wanted)),
  );
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  return (
    <>
      <TextInput
        aria-label="Find among its tools"
        placeholder="Part of a name, or of where it comes from"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <div
        ref={scroller}
        role="region"
        aria-label="Tools of the agent"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        className="mt-2 h-[28rem] max-h-[60vh] overflow-y-auto rounded-md border border-line"
      >
        <ul className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <li
              key={shown[index]!.name}
              className="absolute inset-x-0 border-b border-line"
              style={{ height: ROW, transform: `translateY(${start}px)` }}
            >
              <ToolLine tool={shown[index]!} />
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p className="px-3 py-6 text-center text-soft">No tool of it fits.</p>}
      </div>
    </>
  );
}

function ToolLine({ tool: { name, grantedBy, deferred, tokens } }: { tool: AgentTool }) {
  return (
    <Link
      to={joinPath("tools", name)}
      className="grid h-full grid-cols-[minmax(0,1fr)_auto_3.5rem] content-center items-center gap-x-2 px-3 hover:bg-hover"
    >
      <UntrustedText text={name} mono line />
      {deferred ? <Badge>found by search</Badge> : <span />}
      <span className="text-end text-xs text-soft">{short(tokens)}</span>
      <span className="col-span-3 text-xs text-soft">
        <GrantSources sources={grantedBy} />
      </span>
    </Link>
  );
}
