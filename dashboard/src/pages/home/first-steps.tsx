import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentView, Home, ServerView, TokenList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ButtonLink } from "../../ui/link.tsx";

interface Step {
  readonly title: string;
  readonly about: string;
  readonly done: boolean;
  /** Another way to the one before: nothing is missing without it. */
  readonly isOptional?: boolean;
  readonly to: string;
  readonly action: string;
}

interface FirstStepsProps {
  readonly servers: readonly ServerView[];
  readonly agents: readonly AgentView[];
  readonly home: Home;
}

const HIDDEN = "toolkeep.first-steps-hidden";

/** For an installation that is new: what to do, in order, and what of it is done. Gone when all is. */
export function FirstSteps(props: FirstStepsProps) {
  return useHasRole("admin") ? <Guide {...props} /> : null;
}

function Guide({ servers, agents, home }: FirstStepsProps) {
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) === "yes");
  const tokens = useGet<TokenList>("/tokens").data?.tokens;
  if (hidden || tokens === undefined) return null;
  // Figures begin anew with the daemon; when a token was last used does not.
  const hasClient =
    home.minutes.some(({ calls }) => calls > 0) ||
    tokens.some(({ agent, lastUsedAt }) => agent !== null && lastUsedAt !== null);
  const given = agents.find(({ toolboxes, grants }) => toolboxes.length + grants.length > 0);
  const steps: readonly Step[] = [
    {
      title: "Add a server",
      about: "A program or an address that speaks MCP. Paste what its README shows.",
      done: servers.length > 0,
      to: "/servers?add=form",
      action: "Add a server",
    },
    {
      title: "Or take over what your clients have",
      about: "Claude Code, Cursor, VS Code, Codex and others: their servers, previewed first.",
      done: false,
      isOptional: true,
      to: "/servers?add=import",
      action: "Import",
    },
    {
      title: "Make an agent",
      about: "Who calls: with toolboxes that say what it may use, and tokens.",
      done: given !== undefined,
      to: "/agents?new=yes",
      action: "Make an agent",
    },
    {
      title: "Connect a client",
      about: "Copy the snippet for your client with a token, then let it call something.",
      done: hasClient,
      to: given ? `${joinPath("agents", given.name)}?tab=tokens&doing=token` : "/agents?new=yes",
      action: "Connect",
    },
  ];
  if (steps.every(({ done, isOptional }) => done || isOptional)) return null;
  return (
    <section aria-labelledby="first-steps" className="rounded-md border border-line">
      <div className="flex items-center justify-between border-b border-line px-4 py-2">
        <h2 id="first-steps" className="text-base font-semibold">
          First steps
        </h2>
        <Button
          look="quiet"
          onClick={() => {
            localStorage.setItem(HIDDEN, "yes");
            setHidden(true);
          }}
        >
          Hide
        </Button>
      </div>
      <ol className="divide-y divide-line">
        {steps.map(({ title, about, done, to, action }, index) => (
          <li key={title} className="flex items-center gap-3 px-4 py-2.5">
            <span
              className={`flex size-6 shrink-0 items-center justify-center rounded-full border text-xs font-semibold ${done ? "border-ok text-ok" : "border-line-strong text-soft"}`}
            >
              {done ? <Icon name="check" size={14} /> : index + 1}
              {done && <span className="sr-only">done</span>}
            </span>
            <div className="min-w-0 flex-1">
              <div className="font-medium">{title}</div>
              <div className="text-soft">{about}</div>
            </div>
            {!done && <ButtonLink to={to}>{action}</ButtonLink>}
          </li>
        ))}
      </ol>
    </section>
  );
}
