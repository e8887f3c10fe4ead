import { useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { ToolboxAnswer, ToolboxTools, ToolboxView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { ChangePreview } from "../access/change-preview.tsx";
import { SaveBar } from "../access/save-bar.tsx";
import { usePreview } from "../access/use-preview.ts";
import { ContentsSummary, type ToolboxDraft, ToolboxEntries, ToolboxForm } from "./toolbox-form.tsx";

export function ToolboxPanel({ name }: { name: string }) {
  const path = joinPath("toolboxes", name);
  const answer = useGet<ToolboxAnswer>(path);
  const canEdit = useHasRole("admin");
  const remove = useConfirmedDelete(answer.data?.toolbox);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({}, "/toolboxes")}
      actions={
        canEdit &&
        answer.data?.toolbox.builtin === false && (
          <Menu
            label={`More actions for ${name}`}
            items={[{ label: "Delete", icon: "trash", danger: true, onSelect: () => void remove() }]}
          />
        )
      }
    >
      <QueryView query={answer}>
        {({ toolbox }) => (
          <>
            {toolbox.builtin || !canEdit ? (
              <ReadOnlyToolbox toolbox={toolbox} />
            ) : (
              <ToolboxEditor key={toolbox.name} toolbox={toolbox} />
            )}
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function useConfirmedDelete(toolbox: ToolboxView | undefined): () => Promise<void> {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client, name: string) => client.delete(joinPath("toolboxes", name)),
    successMessage: "Deleted",
    invalidates: ["/toolboxes", "/agents"],
  });
  return async () => {
    if (!toolbox) return;
    const { name, agents } = toolbox;
    const isConfirmed = await confirm({
      title: `Delete toolbox ${name}?`,
      description:
        agents.length === 0
          ? "No agent uses it. This cannot be undone."
          : `These agents lose the tools that only this toolbox contains, even in running conversations: ${agents.join(", ")}. This cannot be undone.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run(name))) navigate(urlWith({}, "/toolboxes"));
  };
}

function ReadOnlyToolbox({ toolbox }: { toolbox: ToolboxView }) {
  const contents = useGet<ToolboxTools>(`${joinPath("toolboxes", toolbox.name)}/tools`);
  return (
    <>
      <PanelSection>
        {toolbox.builtin && (
          <p className="mb-2">
            <Badge>built-in</Badge>{" "}
            <span className="text-soft">You cannot change it. Create your own toolbox instead.</span>
          </p>
        )}
        <UntrustedText text={toolbox.description} />
      </PanelSection>
      <AgentsSection agents={toolbox.agents} />
      <PanelSection title="Tools">
        <div className="flex flex-col gap-2">
          {contents.data && <ContentsSummary contents={contents.data} />}
          <ToolboxEntries tools={toolbox.tools} contents={contents.data} />
        </div>
      </PanelSection>
    </>
  );
}

function AgentsSection({ agents }: { agents: readonly string[] }) {
  return (
    <PanelSection title="Agents">
      {agents.length === 0 ? (
        <p className="text-soft">No agent uses it yet. Add it on an agent's page, under Access.</p>
      ) : (
        <ul className="flex flex-wrap gap-x-3 gap-y-1">
          {agents.map((agent) => (
            <li key={agent}>
              <TextLink to={joinPath("agents", agent)}>
                <UntrustedText text={agent} />
              </TextLink>
            </li>
          ))}
        </ul>
      )}
    </PanelSection>
  );
}

interface EditedToolbox extends ToolboxDraft {
  /** The version that the edit is based on; the API refuses to overwrite a newer one. */
  readonly since: number;
}

function ToolboxEditor({ toolbox }: { toolbox: ToolboxView }) {
  const { name, description, tools, updatedAt } = toolbox;
  const stored = useMemo<EditedToolbox>(
    () => ({ description, tools, since: updatedAt }),
    [description, tools, updatedAt],
  );
  const [draft, setDraft, clearDraft] = useDraft<EditedToolbox | null>(`toolbox.${name}`, null);
  const edited = draft ?? stored;
  const isChanged =
    edited.description !== stored.description || edited.tools.join("\n") !== stored.tools.join("\n");
  const preview = usePreview({ toolbox: { name, tools: edited.tools } });
  const update = useAction({
    run: (client, body: EditedToolbox) => client.patch<ToolboxAnswer>(joinPath("toolboxes", name), body),
    successMessage: "Saved",
    invalidates: ["/toolboxes", "/agents", "/access"],
    quiet: true,
  });
  const save = async () => {
    if (await update.run(edited)) clearDraft();
  };
  const discard = () => {
    update.reset();
    clearDraft();
  };
  return (
    <>
      <ToolboxForm
        draft={edited}
        onChange={(next) => setDraft({ ...edited, ...next })}
        contents={preview.data?.toolbox}
      />
      <AgentsSection agents={toolbox.agents} />
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
