import { joinPath } from "../../api/client.ts";
import type { FieldChange, ServerChanges, ServerChangeView, ServerDecision } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Diff, DiffLines } from "../../ui/diff.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { Findings } from "./server-tools.tsx";

/** What a pinned server publishes that nobody has accepted: there for no agent until somebody does. */
export function ServerChangesView({ name }: { name: string }) {
  const changes = useGet<ServerChanges>(joinPath("servers", name, "changes"));
  return (
    <QueryView query={changes}>
      {(answer) =>
        answer.changes.length === 0 ? (
          <EmptyState title="Nothing is held back">
            New and changed tools of a server that nobody trusts wait here until you accept them.
          </EmptyState>
        ) : (
          <Held name={name} answer={answer} />
        )
      }
    </QueryView>
  );
}

function Held({ name, answer: { version, changes } }: { name: string; answer: ServerChanges }) {
  const confirm = useConfirm();
  const decide = useAction({
    run: (client, { verb, names }: { verb: "accept" | "reject"; names?: readonly string[] }) =>
      client.post<ServerChanges>(joinPath("servers", name, verb), {
        seen: version,
        ...(names && { names }),
      } satisfies ServerDecision),
    successMessage: (_answer, { verb }) =>
      verb === "accept" ? "Accepted" : "Rejected; it is not asked again",
    invalidates: ["/servers", "/tools", "/home", "/status", "/agents"],
  });
  const waiting = changes.filter(({ state }) => state === "waiting");
  const suspicious = waiting.filter(({ findings }) => findings.length > 0).length;
  const acceptAll = async () => {
    const yes = await confirm({
      title: `Accept all ${waiting.length}?`,
      description: `Agents that are granted these tools can use them at once.${suspicious > 0 ? ` ${suspicious} of them ${suspicious === 1 ? "has a finding" : "have findings"}: read ${suspicious === 1 ? "it" : "them"} first.` : ""}`,
      action: suspicious > 0 ? "Accept all anyway" : "Accept all",
      danger: suspicious > 0,
    });
    if (yes) await decide.run({ verb: "accept" });
  };
  const rejectAll = async () => {
    const yes = await confirm({
      title: `Reject all ${waiting.length}?`,
      description:
        "No agent gets them as they are now, and you are not asked again until the server changes them. They stay in this list, where each can still be accepted.",
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
        <RequireRole role="admin">
          {waiting.length > 1 && (
            <>
              <Button busy={decide.isBusy} onClick={() => void rejectAll()}>
                Reject all
              </Button>
              <Button
                look={suspicious > 0 ? "plain" : "primary"}
                busy={decide.isBusy}
                onClick={() => void acceptAll()}
              >
                Accept all
              </Button>
            </>
          )}
        </RequireRole>
      </div>
      <ul className="divide-y divide-line">
        {changes.map((change) => (
          <li key={`${change.kind} ${change.name}`} className="flex flex-col gap-2 px-4 py-3">
            <ChangeHead change={change}>
              <RequireRole role="admin">
                {change.state === "waiting" && (
                  <Button
                    busy={decide.isBusy}
                    onClick={() => void decide.run({ verb: "reject", names: [change.name] })}
                  >
                    Reject
                  </Button>
                )}
                <Button
                  busy={decide.isBusy}
                  onClick={() => void decide.run({ verb: "accept", names: [change.name] })}
                >
                  Accept
                </Button>
              </RequireRole>
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
        <UntrustedText text={change.name} mono />{" "}
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
          <UntrustedText text={path} />
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
