import { useCallback, useEffect, useRef, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ConnectStep, ServerTest, TestLine, TestReport } from "../../api/contract.ts";
import { type Problem, toProblem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const STEPS: readonly (readonly [ConnectStep, string, string])[] = [
  ["resolve", "Resolve", "settings and secrets are put together"],
  ["authenticate", "Authenticate", "the server lets us in"],
  ["handshake", "Handshake", "both say what they speak"],
  ["list", "List", "the tools are fetched"],
];

/** What is to be tested: a server by its name, or settings that nobody has stored. */
export type Tested = { readonly name: string } | { readonly config: ServerTest };

interface Run {
  readonly begun: readonly { readonly step: ConnectStep; readonly at: number }[];
  readonly report: TestReport | null;
  readonly problem: Problem | null;
  readonly running: boolean;
}

const NOTHING: Run = { begun: [], report: null, problem: null, running: false };

/** Runs a test and follows its steps; a second `start` and leaving the page end the first. */
export function useServerTest(): { run: Run; start(tested: Tested): void } {
  const client = useClient();
  const [run, setRun] = useState<Run>(NOTHING);
  const ended = useRef<AbortController>(undefined);
  useEffect(() => () => ended.current?.abort(), []);
  const start = useCallback(
    (tested: Tested) => {
      ended.current?.abort();
      const controller = new AbortController();
      ended.current = controller;
      setRun({ ...NOTHING, running: true });
      const path = "name" in tested ? joinPath("servers", tested.name, "test") : "/mcp/servers/test";
      const body = "name" in tested ? {} : tested.config;
      const follow = async () => {
        for await (const line of client.streamLines<TestLine>(
          `${path}?stream=true`,
          body,
          controller.signal,
        )) {
          if (controller.signal.aborted) return;
          setRun((before) =>
            "report" in line
              ? { ...before, report: line.report, running: false }
              : { ...before, begun: [...before.begun, { step: line.step, at: line.at_ms }] },
          );
        }
        setRun((before) => ({ ...before, running: false }));
      };
      follow().catch((thrown: unknown) => {
        if (!controller.signal.aborted) setRun({ ...NOTHING, problem: toProblem(thrown) });
      });
    },
    [client],
  );
  return { run, start };
}

/** The steps as they happen, then what came of them. */
export function TestSteps({ run }: { run: Run }) {
  const { begun, report, problem, running } = run;
  if (problem) return <FormProblem problem={problem} />;
  if (!running && !report) return null;
  const current = begun.at(-1);
  return (
    <div className="rounded-md border border-line" aria-live="polite">
      <ol className="divide-y divide-line">
        {STEPS.map(([step, name, about]) => {
          const { tone, words } = stateOf(step, run);
          return (
            <li
              key={step}
              className="flex items-center gap-3 px-3 py-1.5"
              data-step={step}
              data-state={words}
            >
              <span className="w-36 shrink-0">
                <StateMark tone={tone}>{name}</StateMark>
              </span>
              <span className="min-w-0 flex-1 truncate text-soft">{about}</span>
              <span className="shrink-0 text-xs text-soft">
                {current?.step === step && running ? "…" : words}
              </span>
            </li>
          );
        })}
      </ol>
      {report && (
        <div className="border-t border-line px-3 py-2">
          {report.ok ? (
            <>
              <p className="font-medium text-ok">
                It works: {report.tool_count} tools in {formatDuration(report.latency_ms)}
              </p>
              {report.warning && (
                <p className="text-warn">
                  <UntrustedText text={report.warning} />
                </p>
              )}
              <p className="text-soft">
                <UntrustedText text={report.tools.join(", ")} mono max={500} />
              </p>
            </>
          ) : (
            <p className="text-bad">
              <UntrustedText text={report.error} mono max={1_500} />
            </p>
          )}
        </div>
      )}
    </div>
  );
}

/** A test of a server that is registered, begun at once. */
export function ServerTestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { run, start } = useServerTest();
  useEffect(() => start({ name }), [start, name]);
  return (
    <Dialog
      title={`Test of ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button icon="refresh" busy={run.running} onClick={() => start({ name })}>
            Test again
          </Button>
          <Button look="primary" data-autofocus="" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <TestSteps run={run} />
    </Dialog>
  );
}

/** A step is done when a later one began; the last that began is where it failed. */
function stateOf(step: ConnectStep, { begun, report, running }: Run): { tone: Tone; words: string } {
  const order = STEPS.map(([id]) => id);
  const last = begun.at(-1);
  const at = begun.findLast((one) => one.step === step)?.at;
  const lastIndex = last ? order.indexOf(last.step) : -1;
  const index = order.indexOf(step);
  if (index > lastIndex) return { tone: "neutral", words: running ? "" : "not reached" };
  if (at === undefined) return { tone: "neutral", words: "not needed" };
  if (index < lastIndex || report?.ok) {
    const next =
      begun.find((one) => one.at >= at && order.indexOf(one.step) > index)?.at ?? report?.latency_ms ?? at;
    return { tone: "ok", words: formatDuration(Math.max(0, next - at)) };
  }
  return running ? { tone: "accent", words: "" } : { tone: "bad", words: "failed" };
}
