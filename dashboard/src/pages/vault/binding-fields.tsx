import type { AgentList, SecretBinding, SecretView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Checkbox, Field, TextInput } from "../../ui/form.tsx";

/** Who may use a secret, as it is typed. */
export interface Bindings {
  readonly tools: string;
  readonly hosts: string;
  /** Null: all. */
  readonly agents: readonly string[] | null;
}

export const UNBOUND: Bindings = { tools: "", hosts: "", agents: null };

export function bindingsOf({
  tools,
  hosts,
  agents,
}: Pick<SecretView, "tools" | "hosts" | "agents">): Bindings {
  return { tools: tools.join(", "), hosts: hosts.join(", "), agents };
}

/** As the API takes it. */
export function bindingOf({ tools, hosts, agents }: Bindings): Required<SecretBinding> {
  return { tools: listIn(tools), hosts: listIn(hosts), agents };
}

function listIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}

export function BindingFields({ value, change }: { value: Bindings; change: (next: Bindings) => void }) {
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const { agents: chosen } = value;
  const only = { tools: value.tools, hosts: value.hosts, agents: chosen };
  const toggle = (name: string, isOn: boolean) =>
    change({
      ...only,
      agents: isOn ? [...(chosen ?? []), name] : (chosen ?? []).filter((each) => each !== name),
    });
  return (
    <>
      <Field
        label="Tools that get it in their arguments"
        hint="Names or patterns with commas between, such as http_request, mcp:github:*. Empty: none."
      >
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            value={value.tools}
            onChange={(event) => change({ ...only, tools: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Hosts that such a call may go to"
        hint="Such as api.github.com, *.example.com. Empty: calls that go to no host."
      >
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            value={value.hosts}
            onChange={(event) => change({ ...only, hosts: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-1">
        <legend className="mb-1 font-medium">Agents that may use it so</legend>
        <Checkbox
          label="All of them"
          checked={chosen === null}
          onChange={(event) => change({ ...only, agents: event.target.checked ? null : [] })}
        />
        {chosen !== null &&
          agents.map(({ name }) => (
            <Checkbox
              key={name}
              label={name}
              checked={chosen.includes(name)}
              onChange={(event) => toggle(name, event.target.checked)}
            />
          ))}
        {chosen !== null && chosen.length === 0 && (
          <p className="text-xs text-soft">No agent may, as it is now.</p>
        )}
      </fieldset>
    </>
  );
}
