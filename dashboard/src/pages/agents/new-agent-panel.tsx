import { joinPath } from "../../api/client.ts";
import type { AgentAnswer, AgentList, NewAgent } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Checkbox, Field, Select, TextInput } from "../../ui/form.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { ChangePreview } from "../access/change-preview.tsx";
import { SaveBar } from "../access/save-bar.tsx";
import { usePreview } from "../access/use-preview.ts";
import { type AgentDraft, AgentForm, NEW_AGENT } from "./agent-form.tsx";

interface Draft extends AgentDraft {
  readonly name: string;
  /** "" for a main agent. */
  readonly parent: string;
  readonly scout: boolean;
}

const EMPTY: Draft = { ...NEW_AGENT, name: "", parent: "", scout: false };

export function NewAgentPanel() {
  const [draft, setDraft, clearDraft] = useDraft("agent-new", EMPTY);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const input = toNewAgent(draft);
  const isTaken = agents.some(({ name }) => name === draft.name);
  const preview = usePreview(draft.name === "" || isTaken ? undefined : { agent: input });
  const create = useAction({
    run: (client, body: NewAgent) => client.post<AgentAnswer>("/agents", body),
    successMessage: ({ agent }) => `Created ${agent.name}. Create a token next.`,
    invalidates: ["/agents", "/toolboxes"],
    quiet: true,
  });
  const save = async () => {
    const result = await create.run(input);
    if (!result) return;
    clearDraft();
    navigate(urlWith({ new: "", tab: "tokens" }, joinPath("agents", result.agent.name)));
  };
  const discard = () => {
    clearDraft();
    navigate(urlWith({ new: "" }, "/agents"));
  };
  return (
    <SidePanel title="Create agent" closeTo={urlWith({ new: "" }, "/agents")}>
      <PanelSection>
        <div className="flex flex-col gap-3">
          <Field
            label="Name"
            hint="Lowercase letters, digits and dashes, such as claude-laptop"
            {...(isTaken ? { error: "An agent with this name already exists" } : {})}
          >
            {(inputProps) => (
              <TextInput
                {...inputProps}
                mono
                value={draft.name}
                onChange={({ target }) => setDraft({ ...draft, name: target.value })}
              />
            )}
          </Field>
          <Field
            label="Parent agent"
            hint="A sub-agent gets its tasks from its parent, and sends questions and results there."
          >
            {(inputProps) => (
              <Select
                {...inputProps}
                value={draft.parent}
                options={[
                  ["", "None (main agent)"],
                  ...agents
                    .filter(({ context }) => context !== "scout")
                    .map(({ name }) => [name, name] as const),
                ]}
                onChange={({ target }) => setDraft({ ...draft, parent: target.value, scout: false })}
              />
            )}
          </Field>
          {draft.parent !== "" && (
            <Checkbox
              label="Scout"
              hint="A scout only reads; it cannot change anything."
              checked={draft.scout}
              onChange={({ target }) => setDraft({ ...draft, scout: target.checked })}
            />
          )}
        </div>
      </PanelSection>
      <AgentForm draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
      <SaveBar
        label="Create agent"
        busy={create.isBusy}
        disabled={draft.name === "" || isTaken}
        problem={create.problem}
        onSave={() => void save()}
        onDiscard={discard}
      >
        {draft.name !== "" && !isTaken && <ChangePreview preview={preview} />}
      </SaveBar>
    </SidePanel>
  );
}

function toNewAgent({ parent, scout, toolboxes, ...rest }: Draft): NewAgent {
  return {
    ...rest,
    // Without toolboxes, the API gives a scout the default ones for scouts.
    ...(scout && toolboxes.length === 0 ? {} : { toolboxes }),
    ...(parent === "" ? {} : { parent, scout }),
  };
}
