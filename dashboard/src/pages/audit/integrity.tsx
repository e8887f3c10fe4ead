import type { AuditCheck } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { PageBody } from "../../ui/page.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { formatCount } from "../access/tool-labels.tsx";

const REFETCH_MS = 1_000;

/** The integrity check of the audit log. */
export function Integrity() {
  const check = useGet<AuditCheck>("/audit/verify", { refetchEveryMs: REFETCH_MS });
  const confirm = useConfirm();
  const verify = useAction({
    run: (client, body: { acknowledge?: string }) => client.post<AuditCheck>("/audit/verify", body),
    invalidates: ["/audit/verify"],
  });
  const acknowledge = async () => {
    const isConfirmed = await confirm({
      title: "Acknowledge these findings?",
      description:
        "The findings are marked as reviewed under your name and are no longer reported. They stay visible in the audit log, and new findings are reported again.",
      action: "Acknowledge",
      danger: true,
    });
    if (isConfirmed) await verify.run({ acknowledge: "reviewed in the dashboard" });
  };
  return (
    <PageBody>
      <div className="flex max-w-3xl flex-col gap-4">
        <p>
          Each record carries a code over itself and the record before it, made with a key that the database
          does not hold. The check reads all records and finds any that were edited, added or removed.
        </p>
        <QueryView query={check}>
          {(state) => (
            <>
              <Result check={state} />
              <div className="flex flex-wrap gap-2">
                <RequireRole role="admin">
                  <Button
                    look="primary"
                    icon="refresh"
                    busy={verify.isBusy || state.state === "running"}
                    onClick={() => void verify.run({})}
                  >
                    {state.state === "running" ? "Checking…" : "Check now"}
                  </Button>
                  {state.state === "done" && (state.result?.found ?? 0) > 0 && (
                    <Button onClick={() => void acknowledge()}>Acknowledge…</Button>
                  )}
                </RequireRole>
              </div>
            </>
          )}
        </QueryView>
      </div>
    </PageBody>
  );
}

function Result({ check }: { check: AuditCheck }) {
  if (check.state === "none")
    return <StateMark tone="neutral">Not checked since the daemon started</StateMark>;
  const { result } = check;
  return (
    <>
      <KeyValues
        pairs={[
          [
            "State",
            check.state === "running" ? (
              <StateMark key="state" tone="accent">
                {`Checking: ${check.checked.toLocaleString("en")} of ${check.total.toLocaleString("en")} records`}
              </StateMark>
            ) : check.state === "failed" ? (
              <StateMark key="state" tone="bad">
                {`The check failed: ${check.error ?? ""}`}
              </StateMark>
            ) : result && result.found > 0 ? (
              <StateMark key="state" tone="bad">
                {formatCount(result.found, "finding")}
              </StateMark>
            ) : (
              <StateMark key="state" tone="ok">
                All records are intact
              </StateMark>
            ),
          ],
          ["Records", result?.checked.toLocaleString("en")],
          ["Chains", result && String(result.chains.length)],
          ["Acknowledged", result && result.acknowledgedCount > 0 && String(result.acknowledgedCount)],
          ["Cannot be checked", result && result.unreadable > 0 && String(result.unreadable)],
          ["Lost", result && result.lost > 0 && String(result.lost)],
          ["Older than the chain", result && result.unchained > 0 && String(result.unchained)],
          ["Checked", check.endedAt !== null && <Time key="ended" at={check.endedAt} />],
        ]}
      />
      {result && result.findings.length > 0 && (
        <ul className="flex flex-col gap-1">
          {result.findings.map(({ kind, place, message }) => (
            <li key={`${kind} ${place}`} className="rounded-md border border-bad bg-bad-soft px-3 py-2">
              <strong className="text-bad">{kind}</strong> <span className="font-mono text-xs">{place}</span>:{" "}
              <UntrustedText text={message} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
