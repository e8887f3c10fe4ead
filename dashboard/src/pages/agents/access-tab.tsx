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

interface Edited extends AgentDraft {
  /** What it was when it was read. */
  readonly since: number;
}

/** What an agent is given, to be changed; what that would do is shown before it is done. */
export function AccessTab({ agent, mayChange }: { agent: AgentView; mayChange: boolean }) {
  const { name, updatedAt } = agent;
  const stored = useMemo<Edited>(() => ({ ...draftOf(agent), since: updatedAt }), [agent, updatedAt]);
  const [draft, setDraft, forget] = useDraft<Edited | null>(`agent.${name}`, null);
  const edited = draft ?? stored;
  const isChanged = same(edited) !== same(stored);
  const { since: _, ...wanted } = edited;
  const preview = usePreview(isChanged ? { agent: { name, ...wanted } } : undefined);
  const update = useAction({
    run: (client, body: Edited) => client.patch<AgentAnswer>(joinPath("agents", name), body),
    successMessage: "Saved",
    invalidates: ["/agents", "/toolboxes", "/tools", "/access"],
    quiet: true,
  });
  const save = async () => {
    if (await update.run(edited)) forget();
  };
  const discard = () => {
    update.reset();
    forget();
  };
  if (!mayChange) {
    return (
      <fieldset disabled>
        <legend className="sr-only">What the agent is given</legend>
        <PanelSection>
          <p className="text-soft">Only admins change this.</p>
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

function draftOf(agent: AgentView): AgentDraft {
  const { description, toolboxes, grants, pins, folders, model, headless, localModel, coordinator } = agent;
  return { description, toolboxes, grants, pins, folders, model, headless, localModel, coordinator };
}

/** Equal drafts give equal texts. */
function same({ since: _, ...draft }: Edited): string {
  return JSON.stringify(draft, Object.keys(draft).sort().concat("path", "access"));
}
