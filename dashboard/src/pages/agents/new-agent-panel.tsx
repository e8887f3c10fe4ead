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
  /** "": nobody's. */
  readonly parent: string;
  readonly scout: boolean;
}

const EMPTY: Draft = { ...NEW_AGENT, name: "", parent: "", scout: false };

export function NewAgentPanel() {
  const [draft, setDraft, forget] = useDraft("agent-new", EMPTY);
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const wanted = asSent(draft);
  const isTaken = agents.some(({ name }) => name === draft.name);
  const preview = usePreview(draft.name === "" || isTaken ? undefined : { agent: wanted });
  const create = useAction({
    run: (client, body: NewAgent) => client.post<AgentAnswer>("/agents", body),
    successMessage: ({ agent }) => `${agent.name} is there now; make it a token next`,
    invalidates: ["/agents", "/toolboxes"],
    quiet: true,
  });
  const save = async () => {
    const made = await create.run(wanted);
    if (!made) return;
    forget();
    navigate(urlWith({ new: "", tab: "tokens" }, joinPath("agents", made.agent.name)));
  };
  const leave = () => {
    forget();
    navigate(urlWith({ new: "" }, "/agents"));
  };
  return (
    <SidePanel title="New agent" closeTo={urlWith({ new: "" }, "/agents")}>
      <PanelSection>
        <div className="flex flex-col gap-3">
          <Field
            label="Name"
            hint="Small letters, digits and dashes: claude-laptop"
            {...(isTaken ? { error: "There is an agent of this name" } : {})}
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
            label="Works for"
            hint="A sub-agent gets its tasks from another agent, and asks and reports there."
          >
            {(inputProps) => (
              <Select
                {...inputProps}
                value={draft.parent}
                options={[
                  ["", "nobody: it is a main agent"],
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
              label="It only looks around"
              hint="A scout changes nothing anywhere."
              checked={draft.scout}
              onChange={({ target }) => setDraft({ ...draft, scout: target.checked })}
            />
          )}
        </div>
      </PanelSection>
      <AgentForm draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
      <SaveBar
        label="Create it"
        busy={create.isBusy}
        disabled={draft.name === "" || isTaken}
        problem={create.problem}
        onSave={() => void save()}
        onDiscard={leave}
      >
        {draft.name !== "" && !isTaken && <ChangePreview preview={preview} />}
      </SaveBar>
    </SidePanel>
  );
}

function asSent({ parent, scout, toolboxes, ...rest }: Draft): NewAgent {
  return {
    ...rest,
    // Without any a scout gets those of scouts.
    ...(scout && toolboxes.length === 0 ? {} : { toolboxes }),
    ...(parent === "" ? {} : { parent, scout }),
  };
}
