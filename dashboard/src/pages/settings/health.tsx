import { useEffect, useRef, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ToolOutcome } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { useHasRole } from "../../app/session.tsx";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PageBody } from "../../ui/page.tsx";
import { EmptyState, LoadingState } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly remedy?: string;
}

const STATE_LABELS: Readonly<Record<Check["state"], readonly [string, Tone]>> = {
  failed: ["Failed", "bad"],
  warning: ["Warning", "warn"],
  ok: ["OK", "ok"],
};

const STATE_ORDER: readonly Check["state"][] = ["failed", "warning", "ok"];

/** Checks the machine, the home, the store and every server when it opens. Each finding links to the page that fixes it. */
export function Health() {
  const canCheck = useHasRole("operator");
  const [checks, setChecks] = useState<readonly Check[]>();
  const check = useAction({
    run: (client) => client.post<ToolOutcome>("/call", { name: "get_setup_health", arguments: {} }),
  });
  const runChecks = async () => {
    const outcome = await check.run();
    const results = outcome?.structured?.checks;
    if (Array.isArray(results)) setChecks(results as readonly Check[]);
  };
  const hasStarted = useRef(false);
  useEffect(() => {
    if (!canCheck || hasStarted.current) return;
    hasStarted.current = true;
    void runChecks();
  });
  if (!canCheck)
    return (
      <EmptyState title="Only operators and admins can run this check">
        Ask one of them to check this installation.
      </EmptyState>
    );
  return (
    <PageBody>
      <div className="flex max-w-4xl flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" icon="refresh" busy={check.isBusy} onClick={() => void runChecks()}>
            {check.isBusy ? "Checking…" : "Check again"}
          </Button>
          <span className="text-soft">
            Checks the machine, home, key, settings, store, sandbox, servers and toolboxes.
          </span>
        </div>
        {check.isBusy && !checks && <LoadingState label="Checking" />}
        {checks && (
          <ul aria-label="Checks" className="rounded-md border border-line">
            {checks
              .toSorted((a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state))
              .map(({ name, state, detail, remedy }) => (
                <li
                  key={`${name} ${detail}`}
                  className="grid items-start grid-cols-[7rem_minmax(7rem,12rem)_minmax(0,1fr)] gap-3 border-b border-line px-3 py-2 last:border-b-0 max-sm:grid-cols-1 max-sm:gap-0.5"
                >
                  <StateMark tone={STATE_LABELS[state][1]}>{STATE_LABELS[state][0]}</StateMark>
                  <span className="font-medium">
                    <UntrustedText text={name} />
                  </span>
                  <span className="min-w-0">
                    <UntrustedText text={detail} />
                    {remedy !== undefined && (
                      <span className="block text-soft">
                        <UntrustedText text={remedy} />
                      </span>
                    )}
                    {state !== "ok" && <FixLink name={name} />}
                  </span>
                </li>
              ))}
          </ul>
        )}
      </div>
    </PageBody>
  );
}

/** The page of a check about one item, such as `server github`. */
const SUBJECT_PAGES: readonly (readonly [prefix: string, page: string])[] = [
  ["server ", "servers"],
  ["toolbox ", "toolboxes"],
  ["tool ", "tools"],
];

const CHECK_LINKS: Readonly<Record<string, readonly [to: string, label: string]>> = {
  questions: ["/approvals", "Open approvals"],
  notifications: ["/notifications", "Open notifications"],
  settings: ["/settings", "Open settings"],
  sandbox: ["/settings/shell.sandbox", "Open shell.sandbox"],
  "tool search": ["/settings?q=embeddings", "Open embedding settings"],
  audit: ["/audit?view=integrity", "Verify audit log"],
  key: ["/vault", "Open vault"],
};

function FixLink({ name }: { name: string }) {
  const [to, label] = CHECK_LINKS[name] ??
    findSubjectLink(name) ?? ["/settings?view=about", "View installation details"];
  return (
    <span className="block">
      <TextLink to={to}>
        <UntrustedText text={label} />
      </TextLink>
    </span>
  );
}

function findSubjectLink(name: string): readonly [string, string] | undefined {
  const subject = SUBJECT_PAGES.find(([prefix]) => name.startsWith(prefix));
  return subject && [joinPath(subject[1], name.slice(subject[0].length)), `Open ${name}`];
}
