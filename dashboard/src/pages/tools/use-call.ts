import { useEffect, useRef, useState } from "react";
import type { CallLine, CallRequest, ToolOutcome } from "../../api/contract.ts";
import { type Problem, toProblem } from "../../api/problem.ts";
import { useClient } from "../../api/use-api.ts";

type Progress = Extract<CallLine, { progress: unknown }>["progress"];

export interface CallState {
  readonly startedAt: number | null;
  readonly progress: Progress | null;
  readonly outcome: ToolOutcome | null;
  readonly problem: Problem | null;
}

const NOTHING: CallState = { startedAt: null, progress: null, outcome: null, problem: null };

/** One call at a time, followed while it runs. Leaving the page ends it, as disconnecting does. */
export function useCall() {
  const client = useClient();
  const [state, setState] = useState<CallState>(NOTHING);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (request: CallRequest) => {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    setState({ ...NOTHING, startedAt: Date.now() });
    try {
      for await (const line of client.streamLines<CallLine>("/call/stream", request, stop.signal)) {
        if ("outcome" in line) setState({ ...NOTHING, outcome: line.outcome });
        else setState((before) => ({ ...before, progress: line.progress }));
      }
      setState((before) => (before.outcome ? before : { ...NOTHING, problem: BROKEN_OFF }));
    } catch (thrown) {
      setState(stop.signal.aborted ? NOTHING : { ...NOTHING, problem: toProblem(thrown) });
    }
  };
  return { ...state, start, cancel: () => running.current?.abort() };
}

const BROKEN_OFF = toProblem(new Error("The connection broke off before the call had ended"));
