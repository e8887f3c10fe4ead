import type { AgentList, SecretBinding, SecretView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Checkbox, Field, TextInput } from "../../ui/form.tsx";

/** The form state of a secret's binding. */
export interface BindingDraft {
  readonly tools: string;
  readonly hosts: string;
  /** Null for all agents. */
  readonly agents: readonly string[] | null;
}

export const EMPTY_BINDING: BindingDraft = { tools: "", hosts: "", agents: null };

export function toBindingDraft({
  tools,
  hosts,
  agents,
}: Pick<SecretView, "tools" | "hosts" | "agents">): BindingDraft {
  return { tools: tools.join(", "), hosts: hosts.join(", "), agents };
}

export function toBinding({ tools, hosts, agents }: BindingDraft): Required<SecretBinding> {
  return { tools: splitList(tools), hosts: splitList(hosts), agents };
}

function splitList(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

export function BindingFields({
  value,
  change,
}: {
  value: BindingDraft;
  change: (next: BindingDraft) => void;
}) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const { agents: selected } = value;
  const draft = { tools: value.tools, hosts: value.hosts, agents: selected };
  const toggle = (name: string, isOn: boolean) =>
    change({
      ...draft,
      agents: isOn ? [...(selected ?? []), name] : (selected ?? []).filter((each) => each !== name),
    });
  return (
    <>
      <Field
        label="Tools that can receive it"
        hint="Names or patterns, separated by commas, such as http_request, mcp:github:*. Leave blank for none."
      >
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            value={value.tools}
            onChange={(event) => change({ ...draft, tools: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Hosts that those calls can reach"
        hint="Such as api.github.com, *.example.com. Leave blank to allow only calls without a host."
      >
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            value={value.hosts}
            onChange={(event) => change({ ...draft, hosts: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium">Agents that can use it</legend>
        <Checkbox
          label="All agents"
          checked={selected === null}
          onChange={(event) => change({ ...draft, agents: event.target.checked ? null : [] })}
        />
        {selected !== null &&
          agents.map(({ name }) => (
            <Checkbox
              key={name}
              label={name}
              checked={selected.includes(name)}
              onChange={(event) => toggle(name, event.target.checked)}
            />
          ))}
        {selected !== null && selected.length === 0 && (
          <p className="text-xs text-soft">No agent can use it now.</p>
        )}
      </fieldset>
    </>
  );
}
