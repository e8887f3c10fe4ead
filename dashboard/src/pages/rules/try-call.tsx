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
import { ACTIONS, ruleInWords, ruleKey } from "./rule-words.ts";

const SUGGESTED = 20;

const RESULT: Readonly<Record<RuleExplanation["action"], string>> = {
  allow: "It would run",
  ask: "A person would be asked first",
  deny: "It would be refused",
};

/** What would become of a call, by which rule, and what would change that. The call stands in the address. */
export function TryCall() {
  const params = new URLSearchParams(useQueryString());
  const asked = {
    tool: params.get("tool") ?? "",
    agent: params.get("agent") ?? "",
    args: params.get("args") ?? "",
  };
  const key = JSON.stringify(asked);
  const [call, setCall] = useDraft(`try-call.${key}`, asked);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const query = useDebounced(call.tool.trim());
  const found = useGet<ToolSearchAnswer>(query === "" ? undefined : "/tool-search", {
    params: { query, limit: SUGGESTED },
    keepPrevious: true,
  });
  const [explained, setExplained] = useState<RuleExplanation>();
  const problem = argumentsProblem(call.args);
  const explain = useAction({
    run: (client, input: ExplainInput) => client.post<RuleExplanation>("/rules/explain", input),
    quiet: true,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what stands in the address decides
  useEffect(() => {
    if (asked.tool === "" || argumentsProblem(asked.args) !== undefined) return;
    const input = {
      tool: asked.tool,
      ...(asked.agent !== "" && { agent: asked.agent }),
      arguments: asked.args === "" ? {} : JSON.parse(asked.args),
    };
    void explain.run(input).then(setExplained);
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
          <Field label="Who calls">
            {(inputProps) => (
              <Select
                {...inputProps}
                options={[["", "a person (operator)"], ...agents.map(({ name }) => [name, name] as const)]}
                value={call.agent}
                onChange={(event) => setCall({ ...call, agent: event.target.value })}
              />
            )}
          </Field>
          <Field label="Which tool" hint="Its name, or what it should do.">
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
                  {found.data?.matches.map(({ tool }) => (
                    <option key={tool.name} value={tool.name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <div className="col-span-full">
            <Field
              label="With which arguments"
              hint='JSON, such as {"path": "/etc/hosts"}. Nothing is run.'
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
              What would happen?
            </Button>
          </div>
        </form>
        <FormProblem problem={explain.problem} />
        {explained && !explain.problem && (
          <ScrollIntoView trigger={explained}>
            <Explained explained={explained} />
          </ScrollIntoView>
        )}
      </div>
    </PageBody>
  );
}

function argumentsProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? undefined : "Expected a JSON object.";
  } catch {
    return "This is no JSON yet.";
  }
}

function Explained({ explained }: { explained: RuleExplanation }) {
  const { action, rule, text, hidden, others, changes, capabilities, labels, subjects, agent } = explained;
  const about = [...subjects.path, ...subjects.host, ...subjects.command];
  return (
    <section aria-label="What would happen" className="flex flex-col gap-4 rounded-md border border-line p-4">
      <div className="text-base font-semibold">
        <StateMark tone={ACTIONS[action].tone}>{RESULT[action]}</StateMark>
      </div>
      <KeyValues
        pairs={[
          [
            "By the rule",
            rule ? (
              <TextLink key="rule" to={joinPath("rules", ruleKey(rule))}>
                <UntrustedText text={ruleInWords(rule)} />
              </TextLink>
            ) : (
              "none: no rule is about it, so it runs"
            ),
          ],
          ["In the audit as", <UntrustedText key="text" text={text} mono />],
          [
            "Seen",
            hidden && "not at all: every call of it is refused, so the agent is not even shown the tool",
          ],
          [
            "What the tool does",
            capabilities.length > 0 &&
              capabilities.map((each) => (
                <Badge key={each} title={each}>
                  {describeCapability(each)}
                </Badge>
              )),
          ],
          [
            "The call is about",
            about.length > 0 && <UntrustedText key="about" text={about.join(", ")} mono />,
          ],
          ["Conversation labels", labels.join(", ")],
        ]}
      />
      {changes.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">What would change it</h3>
          <ul className="flex flex-col gap-1">
            {changes.map((change) => (
              <li key={JSON.stringify(change)} className="flex flex-wrap items-center gap-2">
                <UntrustedText
                  text={ruleInWords({ ...change, agent: agent === "operator" ? null : agent })}
                />
                <RequireRole role="admin">
                  <TextLink to={writeLink(change, agent)}>write this rule …</TextLink>
                </RequireRole>
              </li>
            ))}
          </ul>
        </div>
      )}
      {others.length > 0 && (
        <details>
          <summary className="font-medium">{others.length} other rules about this tool</summary>
          <ul className="mt-2 flex flex-col gap-2">
            {others.map(({ rule: other, matched, why }) => (
              <li key={ruleKey(other)}>
                <TextLink to={joinPath("rules", ruleKey(other))}>
                  <UntrustedText text={ruleInWords(other)} />
                </TextLink>
                <span className="block text-soft">
                  {matched ? "Fits, but lost: " : "Does not fit: "}
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

function writeLink({ permission, action, pattern }: RuleInput, agent: string): string {
  const params = new URLSearchParams({ edit: "new", for: permission, say: action });
  if (pattern !== undefined) params.set("only", JSON.stringify(pattern));
  if (agent !== "operator") params.set("agent", agent);
  return `/rules?${params}`;
}
