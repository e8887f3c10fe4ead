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
  draftOf,
  EMPTY_DRAFT,
  type Narrowing,
  newRuleIn,
  patternDraft,
  type RuleDraft,
  ruleIn,
} from "./rule-draft.ts";
import { ACTIONS, type Action, CAPABILITY_WORDS, ruleInWords } from "./rule-words.ts";
import { useSimulation } from "./simulate.tsx";

const CHECK_MS = 200;
/** What the address says of an editor, taken out. */
export const NOT_EDITING = { edit: "", for: "", say: "", only: "" };
const CAPABILITIES = ["*", "destructive", ...Object.keys(CAPABILITY_WORDS)];

const NARROWINGS: readonly (readonly [Narrowing, string])[] = [
  ["none", "every call"],
  ["path", "calls about certain paths"],
  ["host", "calls to certain hosts"],
  ["command", "certain commands"],
  ["argument", "calls with a certain argument"],
  ["anything", "calls in which anything is like …"],
];

const HINTS: Readonly<Record<Narrowing, string>> = {
  none: "",
  path: "A pattern a line: ~/projects/**, /etc/*",
  host: "A pattern a line: api.github.com, *.example.com",
  command: "A pattern a line: git push *, rm *",
  argument: "A pattern a line, which the argument has to be like.",
  anything: "A pattern that something in the call has to be like.",
};

/** Writes a rule, or changes one: checked by the daemon while it is typed, and tested against recent calls. */
export function RuleEditor({ rule, onClose }: { rule?: RuleView; onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft<RuleDraft>(
    `rule.${rule?.id ?? "new"}`,
    rule ? draftOf(rule) : { ...EMPTY_DRAFT, ...prefilled() },
  );
  const change = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const check = useCheck(draft);
  const save = useAction({
    run: (client) =>
      rule
        ? client.put<RuleAnswer>(joinPath("rules", rule.id!), { ...ruleIn(draft), note: draft.note })
        : client.post<RuleAnswer>("/rules", newRuleIn(draft)),
    successMessage: ({ unmatched }) =>
      unmatched ? "Saved; no tool that is here now is meant by it" : "Saved; it counts from now on",
    invalidates: ["/rules"],
    quiet: true,
  });
  const simulation = useSimulation({
    add: [{ ...ruleIn(draft), ...(draft.agent !== "" && { agent: draft.agent }) }],
    ...(rule?.id && { without: rule.id }),
  });
  const send = async () => {
    const saved = await save.run();
    if (!saved) return;
    forget();
    onClose();
    // The list stays as it is narrowed and sorted.
    navigate(
      urlWith({ ...NOT_EDITING, view: "", tool: "", agent: "", args: "" }, joinPath("rules", saved.rule.id!)),
    );
  };
  const close = () => {
    forget();
    onClose();
  };
  const isTouched = draft.permission !== "";
  const errorOf = (...fields: readonly string[]) =>
    isTouched
      ? check?.problems.find(({ field }) =>
          fields.some((name) => field === name || field.startsWith(`${name}.`)),
        )?.expected
      : undefined;
  return (
    <Dialog
      wide
      title={rule ? "Edit the rule" : "Add a rule"}
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
              busy={simulation.busy}
              disabled={check?.ok !== true}
              onClick={() => void simulation.begin()}
            >
              {simulation.busy ? "Testing …" : "Test against recent calls"}
            </Button>
          </span>
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" busy={save.isBusy} disabled={check?.ok !== true} onClick={() => void send()}>
            {rule ? "Save" : "Add the rule"}
          </Button>
        </>
      }
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => event.preventDefault()}>
        <ActionChoice value={draft.action} change={(action) => change({ action })} />
        <ToolField
          draft={draft}
          change={change}
          error={expected(errorOf("permission"))}
          check={isTouched ? check : undefined}
        />
        <Narrow draft={draft} change={change} error={expected(errorOf("pattern"))} />
        {!rule && <Whom draft={draft} change={change} error={expected(errorOf("agent"))} />}
        <details
          className="rounded-md border border-line px-3 py-2"
          open={draft.after !== "" || draft.note !== "" || draft.final}
        >
          <summary className="font-medium">More</summary>
          <div className="mt-3 flex flex-col gap-4">
            {draft.action === "deny" && (
              <Checkbox
                label="Final: nothing may loosen it, however specific"
                checked={draft.final}
                onChange={(event) => change({ final: event.target.checked })}
              />
            )}
            <Field
              label="Only after the conversation has the label"
              hint="Such as untrusted_content or secrets; empty: always."
              error={expected(errorOf("after"))}
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
            <Field label="Note" hint="Why it is there, for whoever finds it later.">
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
            <UntrustedText text={ruleInWords({ ...ruleIn(draft), agent: draft.agent || null })} max={1_000} />
            {check.same && check.same.id !== rule?.id && (
              <span className="block text-warn">
                There is <TextLink to={joinPath("rules", check.same.id ?? "")}>such a rule</TextLink> already.
              </span>
            )}
          </p>
        )}
      </form>
    </Dialog>
  );
}

interface PartProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  readonly error?: string | undefined;
}

function ActionChoice({ value, change }: { value: Action; change: (action: Action) => void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">What happens</legend>
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

function ToolField({ draft, change, error, check }: PartProps & { check: RuleCheck | undefined }) {
  const tools = useGet<ToolList>("/tools").data?.tools ?? [];
  const about =
    check?.ok &&
    (check.tools === 0
      ? "No tool that is here now; it counts as soon as there is one."
      : `${check.tools} ${check.tools === 1 ? "tool" : "tools"}: ${check.some.join(", ")}${check.tools > check.some.length ? " …" : ""}`);
  return (
    <Field
      label="Which tools"
      hint={
        about ||
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

function Narrow({ draft, change, error }: PartProps) {
  return (
    <>
      <Field label="For which calls">
        {(inputProps) => (
          <Select
            {...inputProps}
            options={NARROWINGS}
            value={draft.narrowing}
            onChange={(event) => change({ narrowing: event.target.value as Narrowing })}
          />
        )}
      </Field>
      {draft.narrowing === "argument" && (
        <Field label="The argument">
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
      {draft.narrowing !== "none" && (
        <Field label="Which are like" hint={HINTS[draft.narrowing]} error={error}>
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
      {Object.keys(draft.others).length > 0 && (
        <p className="text-xs text-soft">
          And also: <UntrustedText text={JSON.stringify(draft.others)} mono />
        </p>
      )}
    </>
  );
}

function Whom({ draft, change, error }: PartProps) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
      <Field label="For whom" error={error}>
        {(inputProps) => (
          <Select
            {...inputProps}
            options={[["", "every agent"], ...agents.map(({ name }) => [name, name] as const)]}
            value={draft.agent}
            onChange={(event) => change({ agent: event.target.value })}
          />
        )}
      </Field>
      <Field label="Until">
        {(inputProps) => (
          <Select
            {...inputProps}
            options={[
              ["", "for good"],
              ["1", "in an hour"],
              ["8", "in 8 hours"],
              ["24", "tomorrow"],
              ["168", "in a week"],
            ]}
            value={draft.hours}
            onChange={(event) => change({ hours: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

/** What the daemon says to the draft; undefined until it has said something. */
function useCheck(draft: RuleDraft): RuleCheck | undefined {
  const client = useClient();
  const [check, setCheck] = useState<RuleCheck>();
  const body = JSON.stringify({ ...ruleIn(draft), ...(draft.agent !== "" && { agent: draft.agent }) });
  useEffect(() => {
    const ended = new AbortController();
    const timer = window.setTimeout(() => {
      client
        .post<RuleCheck>("/rules/check", JSON.parse(body), ended.signal)
        .then(setCheck)
        .catch(() => {});
    }, CHECK_MS);
    return () => {
      window.clearTimeout(timer);
      ended.abort();
    };
  }, [client, body]);
  return check;
}

function expected(what: string | undefined): string | undefined {
  return what === undefined ? undefined : `Expected ${what}.`;
}

/** What another page wants a rule for: `/rules?edit=new&for=run_shell&say=ask&only={"path":"/etc/*"}`. */
function prefilled(): Partial<RuleDraft> {
  const params = new URLSearchParams(window.location.search);
  const say = params.get("say");
  return {
    ...narrowedTo(params.get("only")),
    ...(params.get("for") && { permission: params.get("for")! }),
    ...(params.get("agent") && { agent: params.get("agent")! }),
    ...((say === "allow" || say === "ask" || say === "deny") && { action: say }),
  };
}

function narrowedTo(only: string | null): Partial<RuleDraft> {
  try {
    return only === null ? {} : patternDraft(JSON.parse(only));
  } catch {
    return {};
  }
}
