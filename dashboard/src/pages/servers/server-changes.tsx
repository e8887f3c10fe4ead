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

/** Changes of a pinned server that are held: no agent can use them until a person accepts them. */
export function ServerChangesView({ name }: { name: string }) {
  const changes = useGet<ServerChanges>(joinPath("servers", name, "changes"));
  return (
    <QueryView query={changes}>
      {(answer) =>
        answer.changes.length === 0 ? (
          <EmptyState title="No changes to review">
            New and changed tools of an untrusted server are held here until you accept them.
          </EmptyState>
        ) : (
          <HeldChanges name={name} answer={answer} />
        )
      }
    </QueryView>
  );
}

function HeldChanges({ name, answer: { version, changes } }: { name: string; answer: ServerChanges }) {
  const confirm = useConfirm();
  const decide = useAction({
    run: (client, { verb, names }: { verb: "accept" | "reject"; names?: readonly string[] }) =>
      client.post<ServerChanges>(joinPath("servers", name, verb), {
        seen: version,
        ...(names && { names }),
      } satisfies ServerDecision),
    successMessage: (_answer, { verb }) => (verb === "accept" ? "Accepted" : "Rejected"),
    invalidates: ["/servers", "/tools", "/home", "/status", "/agents"],
  });
  const pending = changes.filter(({ state }) => state === "waiting");
  const withFindings = pending.filter(({ findings }) => findings.length > 0).length;
  const confirmAcceptAll = async () => {
    const isConfirmed = await confirm({
      title: `Accept all ${pending.length} changes?`,
      description: `Agents with these tools can use them immediately.${withFindings > 0 ? ` ${withFindings} of them ${withFindings === 1 ? "has findings. Review it first." : "have findings. Review them first."}` : ""}`,
      action: withFindings > 0 ? "Accept all anyway" : "Accept all",
      danger: withFindings > 0,
    });
    if (isConfirmed) await decide.run({ verb: "accept" });
  };
  const confirmRejectAll = async () => {
    const isConfirmed = await confirm({
      title: `Reject all ${pending.length} changes?`,
      description:
        "Agents cannot use them in their current form, and you are not asked again until the server changes them. They stay in this list, where you can still accept each one.",
      action: "Reject all",
      danger: true,
    });
    if (isConfirmed) await decide.run({ verb: "reject" });
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <span className="flex-1 text-soft">
          {pending.length} {pending.length === 1 ? "change" : "changes"} to review
          {withFindings > 0 && <span className="text-warn">, {withFindings} with findings</span>}
        </span>
        <RequireRole role="admin">
          {pending.length > 1 && (
            <>
              <Button busy={decide.isBusy} onClick={() => void confirmRejectAll()}>
                Reject all
              </Button>
              <Button
                look={withFindings > 0 ? "plain" : "primary"}
                busy={decide.isBusy}
                onClick={() => void confirmAcceptAll()}
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
            <ChangeHeader change={change}>
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
            </ChangeHeader>
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

function ChangeHeader({ change, children }: { change: ServerChangeView; children: React.ReactNode }) {
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
        <DiffLines label={`Change to ${path}`} lines={lines} />
      ) : (
        <Diff label={`Change to ${path}`} before={before ?? ""} after={after ?? ""} />
      )}
    </div>
  );
}
