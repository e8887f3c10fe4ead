import { useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { AgentAnswer, AgentView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { PanelSection } from "../../ui/side-panel.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { ChangePreview } from "../access/change-preview.tsx";
import { SaveBar } from "../access/save-bar.tsx";
import { usePreview } from "../access/use-preview.ts";
import { type AgentDraft, AgentForm } from "./agent-form.tsx";

interface EditedAgent extends AgentDraft {
  /** The version that the edit is based on; the API refuses to overwrite a newer one. */
  readonly since: number;
}

/** Edits the access of an agent and previews the effect before saving. */
export function AccessTab({ agent, canEdit }: { agent: AgentView; canEdit: boolean }) {
  const { name, updatedAt } = agent;
  const stored = useMemo<EditedAgent>(() => ({ ...toDraft(agent), since: updatedAt }), [agent, updatedAt]);
  const [draft, setDraft, clearDraft] = useDraft<EditedAgent | null>(`agent.${name}`, null);
  const edited = draft ?? stored;
  const isChanged = serializeDraft(edited) !== serializeDraft(stored);
  const { since: _, ...input } = edited;
  const preview = usePreview(isChanged ? { agent: { name, ...input } } : undefined);
  const update = useAction({
    run: (client, body: EditedAgent) => client.patch<AgentAnswer>(joinPath("agents", name), body),
    successMessage: "Saved",
    invalidates: ["/agents", "/toolboxes", "/tools", "/access"],
    quiet: true,
  });
  const save = async () => {
    if (await update.run(edited)) clearDraft();
  };
  const discard = () => {
    update.reset();
    clearDraft();
  };
  if (!canEdit) {
    return (
      <fieldset disabled>
        <legend className="sr-only">Access of the agent</legend>
        <PanelSection>
          <p className="text-soft">Only admins can change this.</p>
        </PanelSection>
        <AgentForm draft={stored} />
      </fieldset>
    );
  }
  return (
    <>
      <AgentForm draft={edited} onChange={(next) => setDraft({ ...edited, ...next })} />
      {isChanged && (
        <SaveBar
          label="Save"
          busy={update.isBusy}
          problem={update.problem}
          onSave={() => void save()}
          onDiscard={discard}
        >
          <ChangePreview preview={preview} />
        </SaveBar>
      )}
    </>
  );
}

function toDraft(agent: AgentView): AgentDraft {
  const { description, toolboxes, grants, pins, folders, model, headless, localModel, coordinator } = agent;
  return { description, toolboxes, grants, pins, folders, model, headless, localModel, coordinator };
}

/** Serializes with sorted keys, so that equal drafts give equal strings. */
function serializeDraft({ since: _, ...draft }: EditedAgent): string {
  return JSON.stringify(draft, Object.keys(draft).sort().concat("path", "access"));
}
