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
import { ACTIONS, type Action } from "./rule-labels.ts";

const LIMIT = 5_000;
const MAX_CALLS = 100;

interface Simulation {
  readonly isBusy: boolean;
  /** Null until the simulation ends, and again once the input changes. */
  readonly result: ReactNode;
  /** Changes with each result. */
  readonly version: unknown;
  start(): Promise<void>;
}

/** Tests rules against recent calls and lists the calls that they would decide differently. */
export function useSimulation(input: SimulateInput): Simulation {
  const [result, setResult] = useState<{ key: string; simulation: RuleSimulation }>();
  const key = JSON.stringify(input);
  const run = useAction({
    run: (client) => client.post<RuleSimulation>("/rules/simulate", { ...input, limit: LIMIT }),
    quiet: true,
  });
  const start = async () => {
    const simulation = await run.run();
    if (simulation) setResult({ key, simulation });
  };
  const current = result?.key === key ? result.simulation : undefined;
  return {
    isBusy: run.isBusy,
    start,
    version: run.problem ?? current,
    result: run.problem ? (
      <FormProblem problem={run.problem} />
    ) : current ? (
      <SimulationResult simulation={current} />
    ) : null,
  };
}

/** A button that runs the simulation, with the result below. */
export function SimulateButton({ input, label }: { input: SimulateInput; label: string }) {
  const { isBusy, result, version, start } = useSimulation(input);
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button icon="play" busy={isBusy} onClick={() => void start()}>
          {isBusy ? "Testing…" : label}
        </Button>
      </div>
      {result && <ScrollIntoView trigger={version}>{result}</ScrollIntoView>}
    </div>
  );
}

function SimulationResult({
  simulation: { looked, decided, skipped, incomplete, differing },
}: {
  simulation: RuleSimulation;
}) {
  return (
    <div role="status">
      <p className="font-medium">
        {differing.length === 0
          ? `No change: the last ${decided.toLocaleString("en")} calls would be decided the same.`
          : `${differing.length.toLocaleString("en")} of the last ${decided.toLocaleString("en")} calls would be decided differently.`}
      </p>
      {(skipped > 0 || incomplete > 0) && (
        <p className="text-xs text-soft">
          Checked {looked.toLocaleString("en")} calls.
          {skipped > 0 &&
            ` Skipped ${skipped.toLocaleString("en")}: their tool or agent is gone, or no rule applied.`}
          {incomplete > 0 && ` ${incomplete.toLocaleString("en")} are not recorded in full.`}
        </p>
      )}
      {differing.length > 0 && (
        <ul
          aria-label="Calls that would be decided differently"
          className="mt-2 rounded-md border border-line"
        >
          {differing.slice(0, MAX_CALLS).map((call) => (
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
                <ActionBadge action={call.before} /> → <ActionBadge action={call.after} />
              </span>
              {call.unsure !== null && (
                <span className="w-full text-xs text-warn">Uncertain: {call.unsure}</span>
              )}
            </li>
          ))}
          {differing.length > MAX_CALLS && (
            <li className="px-2 py-1.5 text-soft">
              {(differing.length - MAX_CALLS).toLocaleString("en")} more
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function ActionBadge({ action }: { action: SimulatedCall["after"] }) {
  const known = ACTIONS[action as Action];
  return <Badge tone={known?.tone ?? "neutral"}>{known?.label ?? action}</Badge>;
}
