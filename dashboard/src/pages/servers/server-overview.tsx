import { joinPath } from "../../api/client.ts";
import type { ServerAnswer, ServerChanges, ServerFindings, ServerView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { formatDuration, Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { TRANSPORTS } from "./server-columns.tsx";
import { ServerStateMark } from "./server-state.tsx";
import { Findings } from "./server-tools.tsx";
import { SignIn } from "./sign-in.tsx";

/** `remove` asks first; absent where the server is not one that can be removed here. */
export function ServerOverview({
  server,
  remove,
}: {
  server: ServerView;
  remove?: (() => void) | undefined;
}) {
  return (
    <>
      {server.state === "pending_approval" && <Approval server={server} remove={remove} />}
      {server.state !== "pending_approval" && server.transport !== "stdio" && <SignIn server={server} />}
      {server.lastError && (
        <PanelSection title="Last error">
          <div className="rounded-md bg-bad-soft px-3 py-2 text-bad">
            <UntrustedText text={server.lastError} mono />
          </div>
        </PanelSection>
      )}
      <LeftOut server={server} />
      <FoundInIt server={server} />
      <PanelSection>
        <KeyValues pairs={facts(server)} />
      </PanelSection>
      <PanelSection title="How it is reached">
        <Reach server={server} />
      </PanelSection>
      {server.instructions && (
        <PanelSection title="What it tells models">
          <UntrustedText text={server.instructions} max={1_000} />
        </PanelSection>
      )}
    </>
  );
}

const MAX_LEFT_OUT = 10;

/** Tools that it lists and no agent can use. */
function LeftOut({ server: { leftOut } }: { server: ServerView }) {
  if (leftOut.length === 0) return null;
  return (
    <PanelSection title={`${leftOut.length} ${leftOut.length === 1 ? "tool" : "tools"} left out`}>
      <ul className="flex flex-col gap-1">
        {leftOut.slice(0, MAX_LEFT_OUT).map(({ name, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several may have the same name, or none
          <li key={index} className="text-warn">
            {name !== null && (
              <>
                <UntrustedText text={name} mono />:{" "}
              </>
            )}
            <UntrustedText text={reason} />
          </li>
        ))}
      </ul>
      {leftOut.length > MAX_LEFT_OUT && (
        <p className="mt-1 text-soft">and {leftOut.length - MAX_LEFT_OUT} more</p>
      )}
    </PanelSection>
  );
}

const MAX_FINDINGS = 20;

/** What there is to look at in what the server says of itself and its tools. */
function FoundInIt({ server: { name, waiting } }: { server: ServerView }) {
  const shown = useGet<ServerFindings>(joinPath("servers", name, "findings")).data?.tools ?? [];
  const changes = useGet<ServerChanges>(waiting > 0 ? joinPath("servers", name, "changes") : undefined).data;
  const held = (changes?.changes ?? [])
    .filter(({ state, findings }) => state === "waiting" && findings.length > 0)
    .map(({ name: tool, findings }) => ({ tool, findings, isHeld: true }));
  const found = [...held, ...shown.map((one) => ({ ...one, isHeld: false }))];
  if (found.length === 0) return null;
  return (
    <PanelSection title="Findings">
      <ul className="flex flex-col gap-2">
        {found.slice(0, MAX_FINDINGS).map(({ tool, findings, isHeld }) => (
          <li key={`${isHeld} ${tool}`}>
            <p className="mb-1 flex flex-wrap gap-2">
              <UntrustedText text={tool} mono />
              {isHeld && <Badge tone="warn">held back</Badge>}
            </p>
            <Findings tool={{ findings }} />
          </li>
        ))}
      </ul>
      {found.length > MAX_FINDINGS && (
        <p className="mt-1 text-soft">and {found.length - MAX_FINDINGS} more</p>
      )}
      {held.length > 0 && (
        <p className="mt-2">
          <TextLink to={`${joinPath("servers", name)}?tab=changes`}>Decide what is held back</TextLink>
        </p>
      )}
    </PanelSection>
  );
}

/** What the person looks at is what is approved: a change in between is refused. */
function Approval({ server, remove }: { server: ServerView; remove: (() => void) | undefined }) {
  const approve = useAction({
    run: (client) =>
      client.post<ServerAnswer>(joinPath("servers", server.name, "approve"), { changedAt: server.changedAt }),
    successMessage: `${server.name} is approved`,
    invalidates: ["/servers", "/tools", "/home", "/status"],
  });
  return (
    <PanelSection>
      <div className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-3 py-3">
        <p>
          {whyItWaits(server)} Nothing of it runs before you approve it, so it cannot be tested yet. This is
          what would run:
        </p>
        <Reach server={server} />
        <RequireRole role="admin">
          <div className="flex flex-wrap gap-2">
            {remove && (
              <Button icon="trash" onClick={remove}>
                Reject and remove
              </Button>
            )}
            <Button look="primary" busy={approve.isBusy} onClick={() => void approve.run()}>
              Approve
            </Button>
          </div>
        </RequireRole>
      </div>
    </PanelSection>
  );
}

function whyItWaits({ addedBy, source }: ServerView): string {
  if (source !== "stored") return "This server comes from a file of a project.";
  if (addedBy === null) return "An agent changed this server, which a person had added.";
  return `The agent ${addedBy} added or changed this server.`;
}

function Reach({ server }: { server: ServerView }) {
  const { command, args, url, cwd, envKeys, headerKeys, secrets } = server;
  return (
    <div className="flex flex-col gap-2">
      {command !== null ? (
        <Code text={[command, ...args].map(quoted).join(" ")} label="the command" />
      ) : (
        <Code text={url ?? ""} label="the address" />
      )}
      <KeyValues
        pairs={[
          ["Folder", cwd && <UntrustedText text={cwd} mono />],
          ["Variables", envKeys.length > 0 && <Keys keys={envKeys} />],
          ["Headers", headerKeys.length > 0 && <Keys keys={headerKeys} />],
          ["Secrets", secrets.length > 0 && <Keys keys={secrets} />],
        ]}
      />
    </div>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {keys.map((key) => (
        <code key={key} className="rounded bg-hover px-1 font-mono text-xs">
          <UntrustedText text={key} />
        </code>
      ))}
    </span>
  );
}

function facts(server: ServerView): readonly (readonly [string, React.ReactNode])[] {
  return [
    ["State", <ServerStateMark key="state" server={server} />],
    ["Transport", TRANSPORTS[server.transport]],
    [
      "Speaks",
      server.era && `MCP ${server.era.version} (${server.era.era === "modern" ? "newer" : "older"} era)`,
    ],
    ["Tools", server.toolCount],
    ["Listed", <Time key="listed" at={server.listedAt} />],
    [
      "Trust",
      server.trusted ? (
        <Badge key="trust" tone="ok">
          trusted
        </Badge>
      ) : server.pinned ? (
        "New and changed tools wait for you"
      ) : (
        "Its word counts only where it makes things safer"
      ),
    ],
    [
      "Sandbox",
      server.sandbox &&
        (server.sandbox.problem ??
          `${server.sandbox.mode}, ${server.sandbox.network ? "with" : "without"} network`),
    ],
    ["Time limit", formatDuration(server.timeoutMs)],
    [
      "Starts",
      server.connect === "eager" || server.keepAlive ? "with the daemon, stays" : "with its first call",
    ],
    ["From", SOURCES[server.source]],
    [
      "Names begin with",
      <code key="prefix" className="font-mono text-xs">
        {server.prefix}
      </code>,
    ],
  ];
}

const SOURCES = {
  stored: "added here",
  user: "your settings file",
  project: "the settings file of a project",
};

function quoted(part: string): string {
  return /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}
