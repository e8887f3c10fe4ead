import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentView, Home, ServerView, TokenList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ButtonLink } from "../../ui/link.tsx";

interface SetupItem {
  readonly title: string;
  readonly description: string;
  readonly isDone: boolean;
  /** An alternative to the item before it; the checklist is complete without it. */
  readonly isOptional?: boolean;
  readonly to: string;
  readonly action: string;
}

interface GetStartedProps {
  readonly servers: readonly ServerView[];
  readonly agents: readonly AgentView[];
  readonly home: Home;
}

const STORAGE_KEY = "toolkeep.first-steps-hidden";

/** The setup checklist of a new installation. Disappears when every item is done. */
export function GetStarted(props: GetStartedProps) {
  return useHasRole("admin") ? <Checklist {...props} /> : null;
}

function Checklist({ servers, agents, home }: GetStartedProps) {
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(STORAGE_KEY) === "yes");
  const tokens = useGet<TokenList>("/tokens").data?.tokens;
  if (isHidden || tokens === undefined) return null;
  // The figures reset when the daemon restarts; the last use of a token is stored.
  const hasClient =
    home.minutes.some(({ calls }) => calls > 0) ||
    tokens.some(({ agent, lastUsedAt }) => agent !== null && lastUsedAt !== null);
  const agentWithTools = agents.find(({ toolboxes, grants }) => toolboxes.length + grants.length > 0);
  const items: readonly SetupItem[] = [
    {
      title: "Add a server",
      description: "A program or URL that speaks MCP. Paste the snippet from its README.",
      isDone: servers.length > 0,
      to: "/servers?add=form",
      action: "Add server",
    },
    {
      title: "Or import servers from your clients",
      description: "Preview and add the servers of Claude Code, Cursor, VS Code, Codex and others.",
      isDone: false,
      isOptional: true,
      to: "/servers?add=import",
      action: "Import",
    },
    {
      title: "Create an agent",
      description: "Agents call tools. Toolboxes define which ones; tokens connect clients.",
      isDone: agentWithTools !== undefined,
      to: "/agents?new=yes",
      action: "Create agent",
    },
    {
      title: "Connect a client",
      description: "Create a token, copy the snippet into your client and make a first call.",
      isDone: hasClient,
      to: agentWithTools
        ? `${joinPath("agents", agentWithTools.name)}?tab=tokens&doing=token`
        : "/agents?new=yes",
      action: "Connect",
    },
  ];
  if (items.every(({ isDone, isOptional }) => isDone || isOptional)) return null;
  return (
    <section aria-labelledby="get-started" className="rounded-md border border-line">
      <div className="flex items-center justify-between border-b border-line px-4 py-2">
        <h2 id="get-started" className="text-base font-semibold">
          Get started
        </h2>
        <Button
          look="quiet"
          onClick={() => {
            localStorage.setItem(STORAGE_KEY, "yes");
            setIsHidden(true);
          }}
        >
          Hide
        </Button>
      </div>
      <ol className="divide-y divide-line">
        {items.map(({ title, description, isDone, to, action }, index) => (
          <li key={title} className="flex items-center gap-3 px-4 py-2.5">
            <span
              className={`flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-semibold ${isDone ? "border-ok text-ok" : "border-line-strong text-soft"}`}
            >
              {isDone ? <Icon name="check" size={14} /> : index + 1}
              {isDone && <span className="sr-only">done</span>}
            </span>
            <div className="min-w-0 flex-1">
              <div className="font-medium">{title}</div>
              <div className="text-soft">{description}</div>
            </div>
            {!isDone && <ButtonLink to={to}>{action}</ButtonLink>}
          </li>
        ))}
      </ol>
    </section>
  );
}
