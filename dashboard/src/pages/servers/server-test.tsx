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
  ["resolve", "Resolve", "Reads settings and secrets"],
  ["authenticate", "Authenticate", "Signs in to the server"],
  ["handshake", "Handshake", "Agrees on a protocol version"],
  ["list", "List", "Fetches the tools"],
];

/** The subject of a test: a server by name, or settings that are not stored yet. */
export type TestTarget = { readonly name: string } | { readonly config: ServerTest };

interface TestRun {
  readonly startedSteps: readonly { readonly step: ConnectStep; readonly at: number }[];
  readonly report: TestReport | null;
  readonly problem: Problem | null;
  readonly isRunning: boolean;
}

const NOT_STARTED: TestRun = { startedSteps: [], report: null, problem: null, isRunning: false };

/** Runs a connection test and follows its progress. A second `start`, or leaving the page, aborts the first. */
export function useServerTest(): { run: TestRun; start(target: TestTarget): void } {
  const client = useClient();
  const [run, setRun] = useState<TestRun>(NOT_STARTED);
  const controllerRef = useRef<AbortController>(undefined);
  useEffect(() => () => controllerRef.current?.abort(), []);
  const start = useCallback(
    (target: TestTarget) => {
      controllerRef.current?.abort();
      const controller = new AbortController();
      controllerRef.current = controller;
      setRun({ ...NOT_STARTED, isRunning: true });
      const path = "name" in target ? joinPath("servers", target.name, "test") : "/mcp/servers/test";
      const body = "name" in target ? {} : target.config;
      const follow = async () => {
        for await (const line of client.streamLines<TestLine>(
          `${path}?stream=true`,
          body,
          controller.signal,
        )) {
          if (controller.signal.aborted) return;
          setRun((before) =>
            "report" in line
              ? { ...before, report: line.report, isRunning: false }
              : { ...before, startedSteps: [...before.startedSteps, { step: line.step, at: line.at_ms }] },
          );
        }
        setRun((before) => ({ ...before, isRunning: false }));
      };
      follow().catch((thrown: unknown) => {
        if (!controller.signal.aborted) setRun({ ...NOT_STARTED, problem: toProblem(thrown) });
      });
    },
    [client],
  );
  return { run, start };
}

/** The progress of a test as it happens, then its result. */
export function TestSteps({ run }: { run: TestRun }) {
  const { startedSteps, report, problem, isRunning } = run;
  if (problem) return <FormProblem problem={problem} />;
  if (!isRunning && !report) return null;
  const current = startedSteps.at(-1);
  return (
    <div className="rounded-md border border-line" aria-live="polite">
      <ol className="divide-y divide-line">
        {STEPS.map(([step, name, about]) => {
          const { tone, label } = describeStep(step, run);
          return (
            <li
              key={step}
              className="flex items-center gap-3 px-3 py-1.5"
              data-step={step}
              data-state={label}
            >
              <span className="w-36 shrink-0">
                <StateMark tone={tone}>{name}</StateMark>
              </span>
              <span className="min-w-0 flex-1 truncate text-soft">{about}</span>
              <span className="shrink-0 text-xs text-soft">
                {current?.step === step && isRunning ? "…" : label}
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
                Connected: {report.tool_count} {report.tool_count === 1 ? "tool" : "tools"} in{" "}
                {formatDuration(report.latency_ms)}
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

/** Tests a stored server as soon as it opens. */
export function ServerTestDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { run, start } = useServerTest();
  useEffect(() => start({ name }), [start, name]);
  return (
    <Dialog
      title={`Test ${name}`}
      onClose={onClose}
      footer={
        <>
          <Button icon="refresh" busy={run.isRunning} onClick={() => start({ name })}>
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

/** A phase is done once a later one has started; a failure belongs to the last one that started. */
function describeStep(
  step: ConnectStep,
  { startedSteps, report, isRunning }: TestRun,
): { tone: Tone; label: string } {
  const order = STEPS.map(([id]) => id);
  const last = startedSteps.at(-1);
  const at = startedSteps.findLast((one) => one.step === step)?.at;
  const lastIndex = last ? order.indexOf(last.step) : -1;
  const index = order.indexOf(step);
  if (index > lastIndex) return { tone: "neutral", label: isRunning ? "" : "not reached" };
  if (at === undefined) return { tone: "neutral", label: "not needed" };
  if (index < lastIndex || report?.ok) {
    const next =
      startedSteps.find((one) => one.at >= at && order.indexOf(one.step) > index)?.at ??
      report?.latency_ms ??
      at;
    return { tone: "ok", label: formatDuration(Math.max(0, next - at)) };
  }
  return isRunning ? { tone: "accent", label: "" } : { tone: "bad", label: "failed" };
}
