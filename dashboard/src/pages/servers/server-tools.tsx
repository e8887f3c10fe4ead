import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ServerView, ToolAnswer, ToolDetail, ToolList, ToolView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Json } from "../../ui/code.tsx";
import { Icon } from "../../ui/icon.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { describeFinding } from "./finding-labels.ts";

const SHOWN = 200;

/** The tools of a server; each opens in place. */
export function ServerTools({ server, names }: { server: ServerView; names: readonly string[] }) {
  const tools = useGet<ToolList>("/tools", { params: { server: server.name } });
  const [words, setWords] = useState("");
  if (names.length === 0)
    return (
      <EmptyState title="No tool is known of it yet">
        {server.waiting > 0
          ? "What it publishes waits for you under “Held back”."
          : "They are listed when it connects; test it."}
      </EmptyState>
    );
  return (
    <QueryView query={tools}>
      {({ tools: all }) => {
        const own = all.filter(({ name }) => name.includes(words.toLowerCase()));
        return (
          <>
            {names.length > 10 && (
              <div className="border-b border-line px-4 py-2">
                <input
                  type="search"
                  aria-label="Find a tool of this server"
                  placeholder="Find a tool of this server"
                  value={words}
                  onChange={(event) => setWords(event.target.value)}
                  className="h-8 w-full rounded-md border border-line-strong bg-surface px-2 placeholder:text-soft"
                />
              </div>
            )}
            <ul className="divide-y divide-line">
              {own.slice(0, SHOWN).map((tool) => (
                <ToolRow key={tool.name} tool={tool} />
              ))}
            </ul>
            {own.length > SHOWN && (
              <p className="px-4 py-3">
                <TextLink to={`/tools?from=${encodeURIComponent(`mcp:${server.name}`)}`}>
                  All {own.length} on the page of tools
                </TextLink>
              </p>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

function ToolRow({ tool }: { tool: ToolView }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-start gap-2 px-4 py-2 text-left hover:bg-hover"
      >
        <span className={open ? "rotate-90" : ""}>
          <Icon name="chevron" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-1.5">
            <UntrustedText text={tool.name} mono />
            <ToolFlags tool={tool} />
          </span>
          {!open && (
            <span className="text-soft">
              <UntrustedText text={tool.description} line />
            </span>
          )}
        </span>
      </button>
      {open && <ToolDetails name={tool.name} />}
    </li>
  );
}

export function ToolFlags({ tool }: { tool: Pick<ToolView, "flags" | "status"> }) {
  return (
    <>
      {tool.flags.readOnly && <Badge title="Never changes anything outside the call">reads</Badge>}
      {tool.flags.destructive && (
        <Badge tone="bad" title="May delete or overwrite what you care about">
          destructive
        </Badge>
      )}
      {tool.status.kind !== "active" && (
        <Badge tone="warn" title={tool.status.reason}>
          {tool.status.kind.replaceAll("_", " ")}
        </Badge>
      )}
    </>
  );
}

function ToolDetails({ name }: { name: string }) {
  const answer = useGet<ToolAnswer>(joinPath("tools", name));
  return (
    <QueryView query={answer} rows={3}>
      {({ tool }) => (
        <div className="flex flex-col gap-3 px-4 pb-4 pl-10">
          <UntrustedText text={tool.description} max={1_200} />
          <Findings tool={tool} />
          <KeyValues
            pairs={[
              ["At its server", <UntrustedText key="own" text={tool.ownName} mono />],
              [
                "Can",
                tool.capabilities.length > 0 &&
                  tool.capabilities.map((one) => <Badge key={one}>{one}</Badge>),
              ],
              ["Toolboxes", tool.toolboxes.join(", ")],
              ["Agents", tool.agents.join(", ")],
              [
                "Warnings",
                tool.warnings.length > 0 && <UntrustedText key="warnings" text={tool.warnings.join("\n")} />,
              ],
            ]}
          />
          <Json value={tool.inputSchema} label={`the input schema of ${name}`} />
          <TextLink to={joinPath("tools", name)}>Try it, its history and its cost</TextLink>
        </div>
      )}
    </QueryView>
  );
}

export function Findings({ tool: { findings } }: { tool: Pick<ToolDetail, "findings"> }) {
  if (findings.length === 0) return null;
  return (
    <div className="rounded-md border border-warn bg-warn-soft px-3 py-2">
      <p className="font-medium text-warn">Look at this before you let anybody use it</p>
      <ul className="mt-1 list-disc pl-4">
        {findings.map(({ kind, field, excerpt }) => (
          <li key={kind + field + excerpt}>
            It {describeFinding(kind)} (<code className="font-mono text-xs">{field}</code>):{" "}
            <UntrustedText text={excerpt} mono />
          </li>
        ))}
      </ul>
    </div>
  );
}
