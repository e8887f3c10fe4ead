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

const MAX_TOOLS = 200;

/** The tools of a server. Each row expands in place. */
export function ServerTools({ server, names }: { server: ServerView; names: readonly string[] }) {
  const tools = useGet<ToolList>("/tools", { params: { server: server.name } });
  const [query, setQuery] = useState("");
  if (names.length === 0)
    return (
      <EmptyState title="No tools yet">
        {server.waiting > 0
          ? "Its tools are held until you accept them under Changes."
          : "Tools are listed once the server connects. Test the server to connect now."}
      </EmptyState>
    );
  return (
    <QueryView query={tools}>
      {({ tools: all }) => {
        const matches = all.filter(({ name }) => name.includes(query.toLowerCase()));
        return (
          <>
            {names.length > 10 && (
              <div className="border-b border-line px-4 py-2">
                <input
                  type="search"
                  aria-label="Find a tool"
                  placeholder="Find a tool"
                  value={query}
                  onChange={(event) => setQuery(event.target.value)}
                  className="h-8 w-full rounded-md border border-line-strong bg-surface px-2 placeholder:text-soft"
                />
              </div>
            )}
            <ul className="divide-y divide-line">
              {matches.slice(0, MAX_TOOLS).map((tool) => (
                <ToolRow key={tool.name} tool={tool} />
              ))}
            </ul>
            {matches.length > MAX_TOOLS && (
              <p className="px-4 py-3">
                <TextLink to={`/tools?from=${encodeURIComponent(`mcp:${server.name}`)}`}>
                  View all {matches.length} tools
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
  const [isOpen, setIsOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-start gap-2 px-4 py-2 text-left hover:bg-hover"
      >
        <span className={isOpen ? "rotate-90" : ""}>
          <Icon name="chevron" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-1.5">
            <UntrustedText text={tool.name} mono />
            <ToolFlags tool={tool} />
          </span>
          {!isOpen && (
            <span className="text-soft">
              <UntrustedText text={tool.description} line />
            </span>
          )}
        </span>
      </button>
      {isOpen && <ToolDetails name={tool.name} />}
    </li>
  );
}

export function ToolFlags({ tool }: { tool: Pick<ToolView, "flags" | "status"> }) {
  return (
    <>
      {tool.flags.readOnly && <Badge title="Changes nothing outside the call">read-only</Badge>}
      {tool.flags.destructive && (
        <Badge tone="bad" title="May delete or overwrite data">
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
              ["Name on server", <UntrustedText key="own" text={tool.ownName} mono />],
              [
                "Capabilities",
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
          <Json value={tool.inputSchema} label={`Input schema of ${name}`} />
          <TextLink to={joinPath("tools", name)}>Try it, see its calls and cost</TextLink>
        </div>
      )}
    </QueryView>
  );
}

export function Findings({ tool: { findings } }: { tool: Pick<ToolDetail, "findings"> }) {
  if (findings.length === 0) return null;
  return (
    <div className="rounded-md border border-warn bg-warn-soft px-3 py-2">
      <p className="font-medium text-warn">Review this before you allow the tool</p>
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
