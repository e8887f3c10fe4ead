import { type ReactNode, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { RuleSimulation, SimulatedCall, SimulateInput } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { TextLink } from "../../ui/link.tsx";
import { ScrollIntoView } from "../../ui/scroll-into-view.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { ACTIONS, type Action } from "./rule-words.ts";

const LIMIT = 5_000;
const SHOWN = 100;

interface Simulation {
  readonly busy: boolean;
  /** What came of it; null until then, and once the rules in question are others. */
  readonly result: ReactNode;
  /** Another for each result. */
  readonly at: unknown;
  begin(): Promise<void>;
}

/** Tests rules against recent calls, and shows which of them would be decided differently. */
export function useSimulation(input: SimulateInput): Simulation {
  const [result, setResult] = useState<{ of: string; found: RuleSimulation }>();
  const key = JSON.stringify(input);
  const run = useAction({
    run: (client) => client.post<RuleSimulation>("/rules/simulate", { ...input, limit: LIMIT }),
    quiet: true,
  });
  const begin = async () => {
    const found = await run.run();
    if (found) setResult({ of: key, found });
  };
  const found = result?.of === key ? result.found : undefined;
  return {
    busy: run.isBusy,
    begin,
    at: run.problem ?? found,
    result: run.problem ? <FormProblem problem={run.problem} /> : found ? <Found found={found} /> : null,
  };
}

/** A button that does it, with the result below. */
export function Simulate({ input, label }: { input: SimulateInput; label: string }) {
  const { busy, result, at, begin } = useSimulation(input);
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button icon="play" busy={busy} onClick={() => void begin()}>
          {busy ? "Testing …" : label}
        </Button>
      </div>
      {result && <ScrollIntoView trigger={at}>{result}</ScrollIntoView>}
    </div>
  );
}

function Found({ found: { looked, decided, skipped, incomplete, differing } }: { found: RuleSimulation }) {
  return (
    <div role="status">
      <p className="font-medium">
        {differing.length === 0
          ? `Nothing: all of the last ${decided.toLocaleString("en")} calls would be decided the same.`
          : `${differing.length.toLocaleString("en")} of the last ${decided.toLocaleString("en")} calls would be decided differently.`}
      </p>
      {(skipped > 0 || incomplete > 0) && (
        <p className="text-xs text-soft">
          Of {looked.toLocaleString("en")} calls {skipped.toLocaleString("en")} were left out (their tool or
          agent is gone, or no rule was asked)
          {incomplete > 0 && ` and ${incomplete.toLocaleString("en")} are not known in full`}.
        </p>
      )}
      {differing.length > 0 && (
        <ul
          aria-label="Calls that would be decided differently"
          className="mt-2 rounded-md border border-line"
        >
          {differing.slice(0, SHOWN).map((call) => (
            <li
              key={call.id}
              className="flex flex-wrap items-center gap-2 border-b border-line px-2 py-1.5 last:border-b-0"
            >
              <TextLink to={joinPath("audit", call.id)}>
                <UntrustedText text={call.tool} mono />
              </TextLink>
              <span className="text-soft">
                <UntrustedText text={call.agent} />, <Time at={call.at} />
              </span>
              <span className="ml-auto flex items-center gap-1">
                <Said action={call.before} /> → <Said action={call.after} />
              </span>
              {call.unsure !== null && (
                <span className="w-full text-xs text-warn">May be wrong: {call.unsure}</span>
              )}
            </li>
          ))}
          {differing.length > SHOWN && (
            <li className="px-2 py-1.5 text-soft">
              and {(differing.length - SHOWN).toLocaleString("en")} more
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function Said({ action }: { action: SimulatedCall["after"] }) {
  const known = ACTIONS[action as Action];
  return <Badge tone={known?.tone ?? "neutral"}>{known?.label ?? action}</Badge>;
}
