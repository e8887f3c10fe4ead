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
import {
  buildInitialValue,
  collectArguments,
  findJsonProblem,
  findProblems,
  hasSecret,
} from "./form-values.ts";
import { OutcomeView } from "./outcome-view.tsx";
import { buildForm } from "./schema-fields.ts";
import { SchemaForm } from "./schema-form.tsx";
import { type CallState, useCall } from "./use-call.ts";

interface FormState {
  readonly value: unknown;
  /** The arguments as JSON text; undefined while the form is used. */
  readonly json?: string | undefined;
  readonly agent: string;
}

/** Calls the tool for real, through the same path as every agent's call. */
export function TryIt({ tool }: { tool: ToolDetail }) {
  const form = useMemo(() => buildForm(tool.inputSchema), [tool.inputSchema]);
  const [formState, setFormState] = useFormState(
    tool.name,
    useMemo(() => buildInitialValue(form), [form]),
    hasSecret(form),
  );
  const [isSubmitted, setIsSubmitted] = useState(false);
  const confirm = useConfirm();
  const call = useCall();
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];

  const isJson = formState.json !== undefined;
  const problems = isJson ? new Map<string, string>() : findProblems(form, formState.value);
  const jsonError = isJson ? findJsonProblem(formState.json || "{}") : undefined;
  const isRunning = call.startedAt !== null;
  const result = call.outcome ?? call.problem ?? call.startedAt;

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (problems.size > 0 || jsonError) return;
    if (tool.flags.destructive && !(await confirm(confirmDestructive(tool.name)))) return;
    const args: unknown = isJson
      ? JSON.parse(formState.json || "{}")
      : collectArguments(form, formState.value);
    await call.start({
      name: tool.name,
      arguments: args,
      ...(formState.agent === "" ? {} : { agent: formState.agent }),
    });
  };
  const editAsJson = () =>
    setFormState({
      ...formState,
      json: JSON.stringify(collectArguments(form, formState.value) ?? {}, null, 2),
    });
  const editAsForm = () => {
    if (findJsonProblem(formState.json || "{}") === undefined)
      setFormState({ ...formState, json: undefined, value: JSON.parse(formState.json || "{}") });
    else setIsSubmitted(true);
  };

  return (
    <>
      <PanelSection
        title="Arguments"
        actions={
          <Button look="quiet" onClick={isJson ? editAsForm : editAsJson}>
            {isJson ? "Use form" : "Edit as JSON"}
          </Button>
        }
      >
        <form onSubmit={(event) => void send(event)} className="flex flex-col gap-3" noValidate>
          {isJson ? (
            <Field label="Arguments" {...(isSubmitted && jsonError ? { error: jsonError } : {})}>
              {(inputProps) => (
                <TextArea
                  {...inputProps}
                  mono
                  rows={10}
                  value={formState.json}
                  onChange={({ target }) => setFormState({ ...formState, json: target.value })}
                />
              )}
            </Field>
          ) : form.kind === "group" && form.fields.length === 0 ? (
            <p className="text-soft">This tool takes no arguments.</p>
          ) : (
            <SchemaForm
              field={form}
              value={formState.value}
              onChange={(value) => setFormState({ ...formState, value })}
              path=""
              problems={isSubmitted ? problems : NO_PROBLEMS}
            />
          )}
          <Field label="Call as">
            {(inputProps) => (
              <Select
                {...inputProps}
                value={formState.agent}
                onChange={({ target }) => setFormState({ ...formState, agent: target.value })}
                options={[
                  ["", "You (all tools)"],
                  ...agents.map(({ name }) => [name, `${name} (its tools and workspace)`] as const),
                ]}
              />
            )}
          </Field>
          {isSubmitted && problems.size > 0 && (
            <p role="alert" className="text-bad">
              {problems.size === 1 ? "1 field needs" : `${problems.size} fields need`} a correction.
            </p>
          )}
          <div className="flex gap-2">
            <Button type="submit" look="primary" icon="play" busy={isRunning}>
              Call tool
            </Button>
            {isRunning && <Button onClick={call.cancel}>Cancel</Button>}
          </div>
        </form>
      </PanelSection>
      {result !== null && (
        <ScrollIntoView trigger={result}>
          <CallResult call={call} />
        </ScrollIntoView>
      )}
    </>
  );
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

function confirmDestructive(name: string) {
  return {
    title: "Call this tool?",
    description: (
      <>
        <UntrustedText text={name} mono /> may delete or overwrite data. This is a real call with the
        arguments you entered.
      </>
    ),
    action: "Call tool",
    danger: true,
  };
}

/** Form state that survives a reload, except when the form has a secret. */
function useFormState(
  name: string,
  initial: unknown,
  isSecret: boolean,
): [FormState, (filled: FormState) => void] {
  const empty = useMemo<FormState>(() => ({ value: initial, agent: "" }), [initial]);
  const [draft, setDraft] = useDraft<FormState>(`try.${name}`, empty);
  const [secret, setSecret] = useState<FormState>(empty);
  return isSecret ? [secret, setSecret] : [draft, setDraft];
}

function CallResult({ call }: { call: CallState }) {
  if (call.startedAt !== null) {
    return (
      <PanelSection title="Running">
        <CallProgress startedAt={call.startedAt} progress={call.progress} />
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

function CallProgress({ startedAt, progress }: { startedAt: number; progress: CallState["progress"] }) {
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
          aria-label="Call progress"
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
