import { useEffect, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type {
  AgentList,
  ExplainInput,
  RuleExplanation,
  RuleInput,
  ToolSearchAnswer,
} from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith, useQueryString } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, FormProblem, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PageBody } from "../../ui/page.tsx";
import { ScrollIntoView } from "../../ui/scroll-into-view.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { describeCapability } from "../access/capability-labels.ts";
import { useDebounced } from "../access/use-preview.ts";
import { ACTIONS, describeRule, ruleKey } from "./rule-labels.ts";

const MAX_SUGGESTIONS = 20;

const RESULT_LABELS: Readonly<Record<RuleExplanation["action"], string>> = {
  allow: "This call would run",
  ask: "This call would need approval",
  deny: "This call would be denied",
};

/** Tests a call against the rules: the decision, the rule behind it, and rules that would change it. The call is kept in the URL. */
export function TryCall() {
  const params = new URLSearchParams(useQueryString());
  const requested = {
    tool: params.get("tool") ?? "",
    agent: params.get("agent") ?? "",
    args: params.get("args") ?? "",
  };
  const key = JSON.stringify(requested);
  const [call, setCall] = useDraft(`try-call.${key}`, requested);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const query = useDebounced(call.tool.trim());
  const suggestions = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: MAX_SUGGESTIONS },
    keepPrevious: true,
  });
  const [explanation, setExplanation] = useState<RuleExplanation>();
  const problem = findArgumentsProblem(call.args);
  const explain = useAction({
    run: (client, input: ExplainInput) => client.post<RuleExplanation>("/rules/explain", input),
    quiet: true,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new call in the URL starts a test
  useEffect(() => {
    if (requested.tool === "" || findArgumentsProblem(requested.args) !== undefined) return;
    const input = {
      tool: requested.tool,
      ...(requested.agent !== "" && { agent: requested.agent }),
      arguments: requested.args === "" ? {} : JSON.parse(requested.args),
    };
    void explain.run(input).then(setExplanation);
  }, [key]);
  return (
    <PageBody>
      <div className="flex max-w-4xl flex-col gap-4">
        <form
          className="grid grid-cols-2 gap-4 max-sm:grid-cols-1"
          onSubmit={(event) => {
            event.preventDefault();
            if (call.tool === "" || problem !== undefined) return;
            navigate(urlWith({ ...call, args: call.args.trim() }));
          }}
        >
          <Field label="Caller">
            {(inputProps) => (
              <Select
                {...inputProps}
                options={[["", "A person (operator)"], ...agents.map(({ name }) => [name, name] as const)]}
                value={call.agent}
                onChange={(event) => setCall({ ...call, agent: event.target.value })}
              />
            )}
          </Field>
          <Field label="Tool" hint="A name, or what the tool should do.">
            {(inputProps) => (
              <>
                <TextInput
                  {...inputProps}
                  mono
                  list="try-tools"
                  value={call.tool}
                  onChange={(event) => setCall({ ...call, tool: event.target.value })}
                />
                <datalist id="try-tools">
                  {suggestions.data?.matches.map(({ tool }) => (
                    <option key={tool.name} value={tool.name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <div className="col-span-full">
            <Field
              label="Arguments"
              hint='JSON, such as {"path": "/etc/hosts"}. The tool does not run.'
              error={problem}
            >
              {(inputProps) => (
                <TextArea
                  {...inputProps}
                  mono
                  rows={3}
                  value={call.args}
                  onChange={(event) => setCall({ ...call, args: event.target.value })}
                />
              )}
            </Field>
          </div>
          <div className="col-span-full">
            <Button
              look="primary"
              type="submit"
              busy={explain.isBusy}
              disabled={call.tool === "" || problem !== undefined}
            >
              Test call
            </Button>
          </div>
        </form>
        <FormProblem problem={explain.problem} />
        {explanation && !explain.problem && (
          <ScrollIntoView trigger={explanation}>
            <Explanation explanation={explanation} />
          </ScrollIntoView>
        )}
      </div>
    </PageBody>
  );
}

function findArgumentsProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? undefined : "Enter a JSON object.";
  } catch {
    return "Not valid JSON yet.";
  }
}

function Explanation({ explanation }: { explanation: RuleExplanation }) {
  const { action, rule, text, hidden, others, changes, capabilities, labels, subjects, agent } = explanation;
  const subjectList = [...subjects.path, ...subjects.host, ...subjects.command];
  return (
    <section aria-label="Result" className="flex flex-col gap-4 rounded-md border border-line p-4">
      <div className="text-base font-semibold">
        <StateMark tone={ACTIONS[action].tone}>{RESULT_LABELS[action]}</StateMark>
      </div>
      <KeyValues
        pairs={[
          [
            "Rule",
            rule ? (
              <TextLink key="rule" to={joinPath("rules", ruleKey(rule))}>
                <UntrustedText text={describeRule(rule)} />
              </TextLink>
            ) : (
              "No rule matches, so the call runs"
            ),
          ],
          ["In the audit log", <UntrustedText key="text" text={text} mono />],
          ["Visibility", hidden && "Hidden: every call is denied, so the agent does not see the tool"],
          [
            "Capabilities",
            capabilities.length > 0 &&
              capabilities.map((each) => (
                <Badge key={each} title={each}>
                  {describeCapability(each)}
                </Badge>
              )),
          ],
          [
            "Subjects",
            subjectList.length > 0 && <UntrustedText key="about" text={subjectList.join(", ")} mono />,
          ],
          ["Conversation labels", labels.join(", ")],
        ]}
      />
      {changes.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">Rules that would change this</h3>
          <ul className="flex flex-col gap-1">
            {changes.map((change) => (
              <li key={JSON.stringify(change)} className="flex flex-wrap items-center gap-2">
                <UntrustedText
                  text={describeRule({ ...change, agent: agent === "operator" ? null : agent })}
                />
                <RequireRole role="admin">
                  <TextLink to={newRuleUrl(change, agent)}>Add this rule</TextLink>
                </RequireRole>
              </li>
            ))}
          </ul>
        </div>
      )}
      {others.length > 0 && (
        <details>
          <summary className="font-medium">Other rules for this tool ({others.length})</summary>
          <ul className="mt-2 flex flex-col gap-2">
            {others.map(({ rule: other, matched, why }) => (
              <li key={ruleKey(other)}>
                <TextLink to={joinPath("rules", ruleKey(other))}>
                  <UntrustedText text={describeRule(other)} />
                </TextLink>
                <span className="block text-soft">
                  {matched ? "Matches, but is overruled: " : "Does not match: "}
                  {why}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function newRuleUrl({ permission, action, pattern }: RuleInput, agent: string): string {
  const params = new URLSearchParams({ edit: "new", for: permission, say: action });
  if (pattern !== undefined) params.set("only", JSON.stringify(pattern));
  if (agent !== "operator") params.set("agent", agent);
  return `/rules?${params}`;
}
