import { useState } from "react";
import type { AgentView, Home, ServerView } from "../../api/contract.ts";
import { For } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ButtonLink } from "../../ui/link.tsx";

interface Step {
  readonly title: string;
  readonly about: string;
  readonly done: boolean;
  readonly to: string;
  readonly action: string;
}

const HIDDEN = "toolkeep.first-steps-hidden";

/** For an installation that is new: what to do, in order, and what of it is done. Gone when all is. */
export function FirstSteps({
  servers,
  agents,
  home,
}: {
  servers: readonly ServerView[];
  agents: readonly AgentView[];
  home: Home;
}) {
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) === "yes");
  const hasCalls = home.minutes.some(({ calls }) => calls > 0);
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
      done: servers.length > 1,
      to: "/servers?add=import",
      action: "Import",
    },
    {
      title: "Make an agent",
      about: "Who calls: with toolboxes that say what it may use, and tokens.",
      done: agents.some(({ toolboxes, grants }) => toolboxes.length + grants.length > 0),
      to: "/agents",
      action: "Agents",
    },
    {
      title: "Connect a client",
      about: "Copy the snippet for your client with a token, then let it call something.",
      done: hasCalls,
      to: "/agents",
      action: "Connect",
    },
  ];
  const left = steps.filter(({ done }) => !done).length;
  if (hidden || left === 0 || (servers.length > 0 && left <= 2 && hasCalls)) return null;
  return (
    <For role="admin">
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
    </For>
  );
}
