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

const IDLE: CallState = { startedAt: null, progress: null, outcome: null, problem: null };

/** Makes one call at a time and follows its progress. Leaving the page cancels it. */
export function useCall() {
  const client = useClient();
  const [state, setState] = useState<CallState>(IDLE);
  const controllerRef = useRef<AbortController | null>(null);
  useEffect(() => () => controllerRef.current?.abort(), []);

  const start = async (request: CallRequest) => {
    controllerRef.current?.abort();
    const controller = new AbortController();
    controllerRef.current = controller;
    setState({ ...IDLE, startedAt: Date.now() });
    try {
      for await (const line of client.streamLines<CallLine>("/call/stream", request, controller.signal)) {
        if ("outcome" in line) setState({ ...IDLE, outcome: line.outcome });
        else setState((before) => ({ ...before, progress: line.progress }));
      }
      setState((before) => (before.outcome ? before : { ...IDLE, problem: CONNECTION_LOST }));
    } catch (cause) {
      setState(controller.signal.aborted ? IDLE : { ...IDLE, problem: toProblem(cause) });
    }
  };
  return { ...state, start, cancel: () => controllerRef.current?.abort() };
}

const CONNECTION_LOST = toProblem(new Error("The connection was lost before the call ended"));
