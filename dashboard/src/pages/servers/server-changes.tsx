import { pathOf } from "../../api/client.ts";
import type { FieldChange, ServerChanges, ServerChangeView, ServerDecision } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { For } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Diff, DiffLines } from "../../ui/diff.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { Findings } from "./server-tools.tsx";

/** What a pinned server publishes that nobody has accepted: there for no agent until somebody does. */
export function ServerChangesView({ name }: { name: string }) {
  const changes = useGet<ServerChanges>(pathOf("servers", name, "changes"));
  return (
    <Loaded query={changes}>
      {(answer) =>
        answer.changes.length === 0 ? (
          <Empty title="Nothing is held back">
            New and changed tools of a server that nobody trusts wait here until you accept them.
          </Empty>
        ) : (
          <Held name={name} answer={answer} />
        )
      }
    </Loaded>
  );
}

function Held({ name, answer: { version, changes } }: { name: string; answer: ServerChanges }) {
  const confirm = useConfirm();
  const decide = useAction({
    run: (client, { verb, names }: { verb: "accept" | "reject"; names?: readonly string[] }) =>
      client.post<ServerChanges>(pathOf("servers", name, verb), {
        seen: version,
        ...(names && { names }),
      } satisfies ServerDecision),
    done: (_answer, { verb }) => (verb === "accept" ? "Accepted" : "Rejected; it is not asked again"),
    changes: ["/servers", "/tools", "/home", "/status", "/agents"],
  });
  const waiting = changes.filter(({ state }) => state === "waiting");
  const suspicious = waiting.filter(({ findings }) => findings.length > 0).length;
  const acceptAll = async () => {
    const yes = await confirm({
      title: `Accept all ${waiting.length}?`,
      what: `Agents that are granted these tools can use them at once.${suspicious > 0 ? ` ${suspicious} of them ${suspicious === 1 ? "has a finding" : "have findings"}: read ${suspicious === 1 ? "it" : "them"} first.` : ""}`,
      action: suspicious > 0 ? "Accept all anyway" : "Accept all",
      danger: suspicious > 0,
    });
    if (yes) await decide.run({ verb: "accept" });
  };
  const rejectAll = async () => {
    const yes = await confirm({
      title: `Reject all ${waiting.length}?`,
      what: "No agent gets them as they are now, and you are not asked again until the server changes them. They stay in this list, where each can still be accepted.",
      action: "Reject all",
      danger: true,
    });
    if (yes) await decide.run({ verb: "reject" });
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <span className="flex-1 text-soft">
          {waiting.length} wait{waiting.length === 1 ? "s" : ""} for you
          {suspicious > 0 && <span className="text-warn">, {suspicious} with findings</span>}
        </span>
        <For role="admin">
          {waiting.length > 1 && (
            <>
              <Button busy={decide.busy} onClick={() => void rejectAll()}>
                Reject all
              </Button>
              <Button
                look={suspicious > 0 ? "plain" : "primary"}
                busy={decide.busy}
                onClick={() => void acceptAll()}
              >
                Accept all
              </Button>
            </>
          )}
        </For>
      </div>
      <ul className="divide-y divide-line">
        {changes.map((change) => (
          <li key={`${change.kind} ${change.name}`} className="flex flex-col gap-2 px-4 py-3">
            <ChangeHead change={change}>
              <For role="admin">
                {change.state === "waiting" && (
                  <Button
                    busy={decide.busy}
                    onClick={() => void decide.run({ verb: "reject", names: [change.name] })}
                  >
                    Reject
                  </Button>
                )}
                <Button
                  busy={decide.busy}
                  onClick={() => void decide.run({ verb: "accept", names: [change.name] })}
                >
                  Accept
                </Button>
              </For>
            </ChangeHead>
            <Findings tool={change} />
            {change.fields.map((field) => (
              <FieldDiff key={field.path} field={field} />
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function ChangeHead({ change, children }: { change: ServerChangeView; children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1">
        <Untrusted text={change.name} mono />{" "}
        <Badge tone={change.what === "new" ? "accent" : "warn"}>
          {change.what} {change.kind.replaceAll("_", " ")}
        </Badge>{" "}
        {change.state === "rejected" && <Badge tone="neutral">rejected</Badge>}
        <span className="ml-2 text-xs text-soft">
          <Time at={change.since} />
        </span>
      </span>
      {children}
    </div>
  );
}

function FieldDiff({ field: { path, change, before, after, lines } }: { field: FieldChange }) {
  return (
    <div>
      <div className="mb-1 text-xs text-soft">
        <code className="font-mono">
          <Untrusted text={path} />
        </code>{" "}
        {change}
      </div>
      {lines ? (
        <DiffLines label={`The change of ${path}`} lines={lines} />
      ) : (
        <Diff label={`The change of ${path}`} before={before ?? ""} after={after ?? ""} />
      )}
    </div>
  );
}
