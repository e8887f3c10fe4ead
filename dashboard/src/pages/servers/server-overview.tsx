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

/** `remove` asks for confirmation. It is absent for servers from a settings file, which cannot be removed here. */
export function ServerOverview({
  server,
  remove,
}: {
  server: ServerView;
  remove?: (() => void) | undefined;
}) {
  return (
    <>
      {server.state === "pending_approval" && <ApprovalPrompt server={server} remove={remove} />}
      {server.state !== "pending_approval" && server.transport !== "stdio" && <SignIn server={server} />}
      {server.lastError && (
        <PanelSection title="Last error">
          <div className="rounded-md bg-bad-soft px-3 py-2 text-bad">
            <UntrustedText text={server.lastError} mono />
          </div>
        </PanelSection>
      )}
      <SkippedTools server={server} />
      <ServerFindingList server={server} />
      <PanelSection>
        <KeyValues pairs={listFacts(server)} />
      </PanelSection>
      <PanelSection title="Connection">
        <Connection server={server} />
      </PanelSection>
      {server.instructions && (
        <PanelSection title="Instructions for models">
          <UntrustedText text={server.instructions} max={1_000} />
        </PanelSection>
      )}
    </>
  );
}

const MAX_SKIPPED = 10;

/** Tools that the server lists but no agent can use. */
function SkippedTools({ server: { leftOut } }: { server: ServerView }) {
  if (leftOut.length === 0) return null;
  return (
    <PanelSection title={`${leftOut.length} ${leftOut.length === 1 ? "tool" : "tools"} skipped`}>
      <ul className="flex flex-col gap-1">
        {leftOut.slice(0, MAX_SKIPPED).map(({ name, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat or be missing
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
      {leftOut.length > MAX_SKIPPED && <p className="mt-1 text-soft">{leftOut.length - MAX_SKIPPED} more</p>}
    </PanelSection>
  );
}

const MAX_FINDINGS = 20;

/** Findings in the definitions of the server and its tools, held ones first. */
function ServerFindingList({ server: { name, waiting } }: { server: ServerView }) {
  const published = useGet<ServerFindings>(joinPath("servers", name, "findings")).data?.tools ?? [];
  const changes = useGet<ServerChanges>(waiting > 0 ? joinPath("servers", name, "changes") : undefined).data;
  const held = (changes?.changes ?? [])
    .filter(({ state, findings }) => state === "waiting" && findings.length > 0)
    .map(({ name: tool, findings }) => ({ tool, findings, isHeld: true }));
  const all = [...held, ...published.map((one) => ({ ...one, isHeld: false }))];
  if (all.length === 0) return null;
  return (
    <PanelSection title="Findings">
      <ul className="flex flex-col gap-2">
        {all.slice(0, MAX_FINDINGS).map(({ tool, findings, isHeld }) => (
          <li key={`${isHeld} ${tool}`}>
            <p className="mb-1 flex flex-wrap gap-2">
              <UntrustedText text={tool} mono />
              {isHeld && <Badge tone="warn">held</Badge>}
            </p>
            <Findings tool={{ findings }} />
          </li>
        ))}
      </ul>
      {all.length > MAX_FINDINGS && <p className="mt-1 text-soft">{all.length - MAX_FINDINGS} more</p>}
      {held.length > 0 && (
        <p className="mt-2">
          <TextLink to={`${joinPath("servers", name)}?tab=changes`}>Review held changes</TextLink>
        </p>
      )}
    </PanelSection>
  );
}

/** Approves exactly the version on screen: the API refuses when the server has changed since. */
function ApprovalPrompt({ server, remove }: { server: ServerView; remove: (() => void) | undefined }) {
  const approve = useAction({
    run: (client) =>
      client.post<ServerAnswer>(joinPath("servers", server.name, "approve"), { changedAt: server.changedAt }),
    successMessage: `Approved ${server.name}`,
    invalidates: ["/servers", "/tools", "/home", "/status"],
  });
  return (
    <PanelSection>
      <div className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-3 py-3">
        <p>
          {explainApproval(server)} It does not run, not even for a test, until you approve it. This is what
          would run:
        </p>
        <Connection server={server} />
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

function explainApproval({ addedBy, source }: ServerView): string {
  if (source !== "stored") return "This server comes from a project's settings file.";
  if (addedBy === null) return "An agent changed this server, which a person had added.";
  return `The agent ${addedBy} added or changed this server.`;
}

function Connection({ server }: { server: ServerView }) {
  const { command, args, url, cwd, envKeys, headerKeys, secrets } = server;
  return (
    <div className="flex flex-col gap-2">
      {command !== null ? (
        <Code text={[command, ...args].map(quoteForShell).join(" ")} label="the command" />
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

function listFacts(server: ServerView): readonly (readonly [string, React.ReactNode])[] {
  return [
    ["State", <ServerStateMark key="state" server={server} />],
    ["Transport", TRANSPORTS[server.transport]],
    ["Protocol", server.era && `MCP ${server.era.version} (${server.era.era})`],
    ["Tools", server.toolCount],
    ["Tools listed", <Time key="listed" at={server.listedAt} />],
    [
      "Trust",
      server.trusted ? (
        <Badge key="trust" tone="ok">
          Trusted
        </Badge>
      ) : server.pinned ? (
        "You review new and changed tools"
      ) : (
        "Its claims count only where they make rules stricter"
      ),
    ],
    [
      "Sandbox",
      server.sandbox &&
        (server.sandbox.problem ??
          `${server.sandbox.mode}, ${server.sandbox.network ? "with" : "without"} network`),
    ],
    ["Call timeout", formatDuration(server.timeoutMs)],
    ["Starts", server.connect === "eager" || server.keepAlive ? "With the daemon" : "On its first call"],
    ["Source", SOURCE_LABELS[server.source]],
    [
      "Tool prefix",
      <code key="prefix" className="font-mono text-xs">
        {server.prefix}
      </code>,
    ],
  ];
}

const SOURCE_LABELS = {
  stored: "Added here",
  user: "Your settings file",
  project: "A project's settings file",
};

function quoteForShell(part: string): string {
  return /^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`;
}
