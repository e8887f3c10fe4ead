import { type FormEvent, useEffect, useMemo, useState } from "react";
import type { AgentList, ToolDetail } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Field, FormProblem, Select, TextArea } from "../../ui/form.tsx";
import { ScrollIntoView } from "../../ui/scroll-into-view.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { givenIn, hasSecret, initialOf, jsonProblem, problemsIn } from "./form-values.ts";
import { OutcomeView } from "./outcome-view.tsx";
import { formOf } from "./schema-fields.ts";
import { SchemaForm } from "./schema-form.tsx";
import { type CallState, useCall } from "./use-call.ts";

interface Filled {
  readonly value: unknown;
  /** Written as JSON instead of the form; undefined: by the form. */
  readonly json?: string | undefined;
  readonly agent: string;
}

/** Calls the tool for real, through the same path as every agent's call. */
export function TryIt({ tool }: { tool: ToolDetail }) {
  const form = useMemo(() => formOf(tool.inputSchema), [tool.inputSchema]);
  const [filled, setFilled] = useFilled(
    tool.name,
    useMemo(() => initialOf(form), [form]),
    hasSecret(form),
  );
  const [isTried, setTried] = useState(false);
  const confirm = useConfirm();
  const call = useCall();
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];

  const isJson = filled.json !== undefined;
  const problems = isJson ? new Map<string, string>() : problemsIn(form, filled.value);
  const jsonWrong = isJson ? jsonProblem(filled.json || "{}") : undefined;
  const isRunning = call.startedAt !== null;
  const came = call.outcome ?? call.problem ?? call.startedAt;

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problems.size > 0 || jsonWrong) return;
    if (tool.flags.destructive && !(await confirm(destroying(tool.name)))) return;
    const args: unknown = isJson ? JSON.parse(filled.json || "{}") : givenIn(form, filled.value);
    await call.start({
      name: tool.name,
      arguments: args,
      ...(filled.agent === "" ? {} : { agent: filled.agent }),
    });
  };
  const asJson = () =>
    setFilled({ ...filled, json: JSON.stringify(givenIn(form, filled.value) ?? {}, null, 2) });
  const asForm = () => {
    if (jsonProblem(filled.json || "{}") === undefined)
      setFilled({ ...filled, json: undefined, value: JSON.parse(filled.json || "{}") });
    else setTried(true);
  };

  return (
    <>
      <PanelSection
        title="What to call it with"
        actions={
          <Button look="quiet" onClick={isJson ? asForm : asJson}>
            {isJson ? "Fill in a form" : "Write JSON"}
          </Button>
        }
      >
        <form onSubmit={(event) => void send(event)} className="flex flex-col gap-3" noValidate>
          {isJson ? (
            <Field label="Arguments" {...(isTried && jsonWrong ? { error: jsonWrong } : {})}>
              {(inputProps) => (
                <TextArea
                  {...inputProps}
                  mono
                  rows={10}
                  value={filled.json}
                  onChange={({ target }) => setFilled({ ...filled, json: target.value })}
                />
              )}
            </Field>
          ) : form.kind === "group" && form.fields.length === 0 ? (
            <p className="text-soft">It takes nothing.</p>
          ) : (
            <SchemaForm
              field={form}
              value={filled.value}
              onChange={(value) => setFilled({ ...filled, value })}
              path=""
              problems={isTried ? problems : NONE}
            />
          )}
          <Field label="Call as">
            {(inputProps) => (
              <Select
                {...inputProps}
                value={filled.agent}
                onChange={({ target }) => setFilled({ ...filled, agent: target.value })}
                options={[
                  ["", "Me, who may call everything"],
                  ...agents.map(({ name }) => [name, `${name}, with what it may and its workspace`] as const),
                ]}
              />
            )}
          </Field>
          {isTried && problems.size > 0 && (
            <p role="alert" className="text-bad">
              {problems.size === 1 ? "One field is" : `${problems.size} fields are`} not right yet.
            </p>
          )}
          <div className="flex gap-2">
            <Button type="submit" look="primary" icon="play" busy={isRunning}>
              Call it
            </Button>
            {isRunning && <Button onClick={call.cancel}>Cancel</Button>}
          </div>
        </form>
      </PanelSection>
      {came !== null && (
        <ScrollIntoView trigger={came}>
          <Answer call={call} />
        </ScrollIntoView>
      )}
    </>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();

function destroying(name: string) {
  return {
    title: "Call it for real?",
    description: (
      <>
        <UntrustedText text={name} mono /> may delete or overwrite what somebody cares about. It is called for
        real, now, with what you filled in.
      </>
    ),
    action: "Call it",
    danger: true,
  };
}

/** Kept over a reload, unless there is a secret among it. */
function useFilled(name: string, initial: unknown, isSecret: boolean): [Filled, (filled: Filled) => void] {
  const empty = useMemo<Filled>(() => ({ value: initial, agent: "" }), [initial]);
  const [draft, setDraft] = useDraft<Filled>(`try.${name}`, empty);
  const [secret, setSecret] = useState<Filled>(empty);
  return isSecret ? [secret, setSecret] : [draft, setDraft];
}

function Answer({ call }: { call: CallState }) {
  if (call.startedAt !== null) {
    return (
      <PanelSection title="Running">
        <Running startedAt={call.startedAt} progress={call.progress} />
      </PanelSection>
    );
  }
  if (call.problem) {
    return (
      <PanelSection>
        <FormProblem problem={call.problem} />
      </PanelSection>
    );
  }
  return call.outcome && <OutcomeView outcome={call.outcome} />;
}

const TICK_MS = 200;

function Running({ startedAt, progress }: { startedAt: number; progress: CallState["progress"] }) {
  const [now, setNow] = useState(startedAt);
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <div aria-live="polite">
      <div className="flex items-center gap-3">
        <progress
          className="h-2 min-w-0 flex-1 accent-accent-fill"
          aria-label="How far the call has come"
          {...(progress?.total ? { value: progress.progress, max: progress.total } : {})}
        />
        <span className="w-14 text-end text-soft">{formatDuration(now - startedAt)}</span>
      </div>
      {progress?.message !== undefined && (
        <p className="mt-1 text-soft">
          <UntrustedText text={progress.message} />
        </p>
      )}
    </div>
  );
}
