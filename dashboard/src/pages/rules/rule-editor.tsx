import { useEffect, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentList, RuleAnswer, RuleCheck, RuleView, ToolList } from "../../api/contract.ts";
import { useAction, useClient, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Field, FormProblem, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { TextLink } from "../../ui/link.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import {
  EMPTY_DRAFT,
  type PatternKind,
  type RuleDraft,
  toDraft,
  toNewRuleInput,
  toPatternDraft,
  toRuleInput,
} from "./rule-draft.ts";
import { ACTIONS, type Action, CAPABILITY_PHRASES, describeRule } from "./rule-labels.ts";
import { useSimulation } from "./simulation.tsx";

const DEBOUNCE_MS = 200;
/** Removes the editor's URL parameters. */
export const CLOSED_EDITOR_PARAMS = { edit: "", for: "", say: "", only: "" };
const CAPABILITIES = ["*", "destructive", ...Object.keys(CAPABILITY_PHRASES)];

const PATTERN_KINDS: readonly (readonly [PatternKind, string])[] = [
  ["none", "Every call"],
  ["path", "Calls with certain paths"],
  ["host", "Calls to certain hosts"],
  ["command", "Calls with certain commands"],
  ["argument", "Calls with a certain argument"],
  ["anything", "Calls with a certain value anywhere"],
];

const PATTERN_HINTS: Readonly<Record<PatternKind, string>> = {
  none: "",
  path: "One pattern per line, such as ~/projects/** or /etc/*",
  host: "One pattern per line, such as api.github.com or *.example.com",
  command: "One pattern per line, such as git push * or rm *",
  argument: "One pattern per line. The argument must match one of them.",
  anything: "A pattern that some value in the call must match.",
};

/** Adds or edits a rule. The daemon checks it while the person types, and can test it against recent calls. */
export function RuleEditor({ rule, onClose }: { rule?: RuleView; onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft<RuleDraft>(
    `rule.${rule?.id ?? "new"}`,
    rule ? toDraft(rule) : { ...EMPTY_DRAFT, ...readPrefill() },
  );
  const change = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const check = useRuleCheck(draft);
  const save = useAction({
    run: (client) =>
      rule
        ? client.put<RuleAnswer>(joinPath("rules", rule.id!), { ...toRuleInput(draft), note: draft.note })
        : client.post<RuleAnswer>("/rules", toNewRuleInput(draft)),
    successMessage: ({ unmatched }) =>
      unmatched ? "Saved. No current tool matches this rule." : "Saved. The rule applies from now on.",
    invalidates: ["/rules"],
    quiet: true,
  });
  const simulation = useSimulation({
    add: [{ ...toRuleInput(draft), ...(draft.agent !== "" && { agent: draft.agent }) }],
    ...(rule?.id && { without: rule.id }),
  });
  const send = async () => {
    const result = await save.run();
    if (!result) return;
    clearDraft();
    onClose();
    // Keep the filters and the order of the list.
    navigate(
      urlWith(
        { ...CLOSED_EDITOR_PARAMS, view: "", tool: "", agent: "", args: "" },
        joinPath("rules", result.rule.id!),
      ),
    );
  };
  const close = () => {
    clearDraft();
    onClose();
  };
  const hasInput = draft.permission !== "";
  const findError = (...fields: readonly string[]) =>
    hasInput
      ? check?.problems.find(({ field }) =>
          fields.some((name) => field === name || field.startsWith(`${name}.`)),
        )?.expected
      : undefined;
  return (
    <Dialog
      wide
      title={rule ? "Edit rule" : "Add rule"}
      onClose={close}
      result={
        (save.problem || simulation.result) && (
          <div className="flex flex-col gap-2">
            {simulation.result}
            <FormProblem problem={save.problem} />
          </div>
        )
      }
      footer={
        <>
          <span className="mr-auto">
            <Button
              icon="play"
              busy={simulation.isBusy}
              disabled={check?.ok !== true}
              onClick={() => void simulation.start()}
            >
              {simulation.isBusy ? "Testing…" : "Test against recent calls"}
            </Button>
          </span>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" busy={save.isBusy} disabled={check?.ok !== true} onClick={() => void send()}>
            {rule ? "Save" : "Add rule"}
          </Button>
        </>
      }
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
        <ActionChoice value={draft.action} change={(action) => change({ action })} />
        <ToolField
          draft={draft}
          change={change}
          error={formatExpected(findError("permission"))}
          check={hasInput ? check : undefined}
        />
        <PatternFields draft={draft} change={change} error={formatExpected(findError("pattern"))} />
        {!rule && <AgentAndExpiry draft={draft} change={change} error={formatExpected(findError("agent"))} />}
        <details
          className="rounded-md border border-line px-3 py-2"
          open={draft.after !== "" || draft.note !== "" || draft.final}
        >
          <summary className="font-medium">Advanced</summary>
          <div className="mt-3 flex flex-col gap-4">
            {draft.action === "deny" && (
              <Checkbox
                label="Final: no other rule can override it, however specific"
                checked={draft.final}
                onChange={(event) => change({ final: event.target.checked })}
              />
            )}
            <Field
              label="Only after a conversation label"
              hint="Optional, such as untrusted_content or secrets."
              error={formatExpected(findError("after"))}
            >
              {(inputProps) => (
                <TextInput
                  {...inputProps}
                  mono
                  value={draft.after}
                  onChange={(event) => change({ after: event.target.value })}
                />
              )}
            </Field>
            <Field label="Note" hint="Why this rule exists.">
              {(inputProps) => (
                <TextInput
                  {...inputProps}
                  value={draft.note}
                  onChange={(event) => change({ note: event.target.value })}
                />
              )}
            </Field>
          </div>
        </details>
        {check?.ok && (
          <p className="rounded-md bg-selected px-3 py-2">
            <UntrustedText
              text={describeRule({ ...toRuleInput(draft), agent: draft.agent || null })}
              max={1_000}
            />
            {check.same && check.same.id !== rule?.id && (
              <span className="block text-warn">
                <TextLink to={joinPath("rules", check.same.id ?? "")}>The same rule</TextLink> already exists.
              </span>
            )}
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface FieldGroupProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  readonly error?: string | undefined;
}

function ActionChoice({ value, change }: { value: Action; change: (action: Action) => void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Action</legend>
      <div className="flex gap-2 max-sm:flex-col">
        {(["ask", "allow", "deny"] as const).map((action) => (
          <label
            key={action}
            className={classes(
              "flex flex-1 items-center gap-2 rounded-md border px-3 py-2",
              action === value ? "border-accent bg-selected" : "border-line",
            )}
          >
            <input
              type="radio"
              name="action"
              className="size-4 accent-accent-fill"
              checked={action === value}
              onChange={() => change(action)}
            />
            {ACTIONS[action].label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function ToolField({ draft, change, error, check }: FieldGroupProps & { check: RuleCheck | undefined }) {
  const tools = useGet<ToolList>("/tools").data?.tools ?? [];
  const summary =
    check?.ok &&
    (check.tools === 0
      ? "No current tool matches. The rule applies as soon as one does."
      : `${check.tools} ${check.tools === 1 ? "tool" : "tools"}: ${check.some.join(", ")}${check.tools > check.some.length ? ", …" : ""}`);
  return (
    <Field
      label="Tools"
      hint={
        summary ||
        "A name, a pattern such as *_file or mcp:github:*, a capability such as shell or net, destructive, or * for all."
      }
      error={error}
    >
      {(inputProps) => (
        <>
          <TextInput
            {...inputProps}
            mono
            data-autofocus
            list="rule-tools"
            value={draft.permission}
            onChange={(event) => change({ permission: event.target.value })}
          />
          <datalist id="rule-tools">
            {[...CAPABILITIES, ...tools.map(({ name }) => name)].slice(0, 500).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function PatternFields({ draft, change, error }: FieldGroupProps) {
  return (
    <>
      <Field label="Calls">
        {(inputProps) => (
          <Select
            {...inputProps}
            options={PATTERN_KINDS}
            value={draft.patternKind}
            onChange={(event) => change({ patternKind: event.target.value as PatternKind })}
          />
        )}
      </Field>
      {draft.patternKind === "argument" && (
        <Field label="Argument name">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              mono
              value={draft.argument}
              onChange={(event) => change({ argument: event.target.value })}
            />
          )}
        </Field>
      )}
      {draft.patternKind !== "none" && (
        <Field label="Patterns" hint={PATTERN_HINTS[draft.patternKind]} error={error}>
          {(inputProps) => (
            <TextArea
              {...inputProps}
              mono
              rows={2}
              value={draft.globs}
              onChange={(event) => change({ globs: event.target.value })}
            />
          )}
        </Field>
      )}
      {Object.keys(draft.otherPredicates).length > 0 && (
        <p className="text-xs text-soft">
          Also requires: <UntrustedText text={JSON.stringify(draft.otherPredicates)} mono />
        </p>
      )}
    </>
  );
}

function AgentAndExpiry({ draft, change, error }: FieldGroupProps) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
      <Field label="Agent" error={error}>
        {(inputProps) => (
          <Select
            {...inputProps}
            options={[["", "Every agent"], ...agents.map(({ name }) => [name, name] as const)]}
            value={draft.agent}
            onChange={(event) => change({ agent: event.target.value })}
          />
        )}
      </Field>
      <Field label="Expires">
        {(inputProps) => (
          <Select
            {...inputProps}
            options={[
              ["", "Never"],
              ["1", "In 1 hour"],
              ["8", "In 8 hours"],
              ["24", "In 1 day"],
              ["168", "In 1 week"],
            ]}
            value={draft.hours}
            onChange={(event) => change({ hours: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

/** The daemon's check of the draft, debounced; undefined until the first answer. */
function useRuleCheck(draft: RuleDraft): RuleCheck | undefined {
  const client = useClient();
  const [check, setCheck] = useState<RuleCheck>();
  const body = JSON.stringify({ ...toRuleInput(draft), ...(draft.agent !== "" && { agent: draft.agent }) });
  useEffect(() => {
    const controller = new AbortController();
    const timer = window.setTimeout(() => {
      client
        .post<RuleCheck>("/rules/check", JSON.parse(body), controller.signal)
        .then(setCheck)
        .catch(() => {});
    }, DEBOUNCE_MS);
    return () => {
      window.clearTimeout(timer);
      controller.abort();
    };
  }, [client, body]);
  return check;
}

function formatExpected(expectation: string | undefined): string | undefined {
  return expectation === undefined ? undefined : `Expected ${expectation}.`;
}

/** Reads the prefill that another page links with: `/rules?edit=new&for=run_shell&say=ask&only={"path":"/etc/*"}`. */
function readPrefill(): Partial<RuleDraft> {
  const params = new URLSearchParams(window.location.search);
  const say = params.get("say");
  return {
    ...parsePattern(params.get("only")),
    ...(params.get("for") && { permission: params.get("for")! }),
    ...(params.get("agent") && { agent: params.get("agent")! }),
    ...((say === "allow" || say === "ask" || say === "deny") && { action: say }),
  };
}

function parsePattern(only: string | null): Partial<RuleDraft> {
  try {
    return only === null ? {} : toPatternDraft(JSON.parse(only));
  } catch {
    return {};
  }
}
