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

const STATES: Readonly<Record<Check["state"], readonly [string, Tone]>> = {
  failed: ["Failed", "bad"],
  warning: ["Warning", "warn"],
  ok: ["OK", "ok"],
};

const ORDER: readonly Check["state"][] = ["failed", "warning", "ok"];

/** Checks the machine, the home, the store and every server when it is opened; what is not in order leads to where it is fixed. */
export function Health() {
  const may = useHasRole("operator");
  const [checks, setChecks] = useState<readonly Check[]>();
  const look = useAction({
    run: (client) => client.post<ToolOutcome>("/call", { name: "get_setup_health", arguments: {} }),
  });
  const begin = async () => {
    const ended = await look.run();
    const found = ended?.structured?.checks;
    if (Array.isArray(found)) setChecks(found as readonly Check[]);
  };
  const isBegun = useRef(false);
  useEffect(() => {
    if (!may || isBegun.current) return;
    isBegun.current = true;
    void begin();
  });
  if (!may) return <EmptyState title="An operator or an admin can check this installation" />;
  return (
    <PageBody>
      <div className="flex max-w-4xl flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Button look="primary" icon="refresh" busy={look.isBusy} onClick={() => void begin()}>
            {look.isBusy ? "Checking …" : "Check again"}
          </Button>
          <span className="text-soft">
            The machine, home, key, settings, store, sandbox, every server and toolbox.
          </span>
        </div>
        {look.isBusy && !checks && <LoadingState label="Checking" />}
        {checks && (
          <ul aria-label="What was looked at" className="rounded-md border border-line">
            {checks
              .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
              .map(({ name, state, detail, remedy }) => (
                <li
                  key={`${name} ${detail}`}
                  className="grid items-start grid-cols-[7rem_minmax(7rem,12rem)_minmax(0,1fr)] gap-3 border-b border-line px-3 py-2 last:border-b-0 max-sm:grid-cols-1 max-sm:gap-0.5"
                >
                  <StateMark tone={STATES[state][1]}>{STATES[state][0]}</StateMark>
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
                    {state !== "ok" && <Fix name={name} />}
                  </span>
                </li>
              ))}
          </ul>
        )}
      </div>
    </PageBody>
  );
}

/** Where a check that is about one thing leads: `server github`. */
const THINGS: readonly (readonly [prefix: string, page: string])[] = [
  ["server ", "servers"],
  ["toolbox ", "toolboxes"],
  ["tool ", "tools"],
];

const PLACES: Readonly<Record<string, readonly [to: string, words: string]>> = {
  questions: ["/approvals", "Open approvals"],
  notifications: ["/notifications", "Open notifications"],
  settings: ["/settings", "Open the settings"],
  sandbox: ["/settings/shell.sandbox", "Open the setting shell.sandbox"],
  "tool search": ["/settings?q=embeddings", "Open the settings of embeddings"],
  audit: ["/audit?view=integrity", "Verify the audit"],
  key: ["/vault", "Open the vault"],
};

function Fix({ name }: { name: string }) {
  const [to, words] = PLACES[name] ?? thingOf(name) ?? ["/settings?view=about", "About this installation"];
  return (
    <span className="block">
      <TextLink to={to}>
        <UntrustedText text={words} />
      </TextLink>
    </span>
  );
}

function thingOf(name: string): readonly [string, string] | undefined {
  const found = THINGS.find(([prefix]) => name.startsWith(prefix));
  return found && [joinPath(found[1], name.slice(found[0].length)), `Open the ${name}`];
}
