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
import { Composer, Entries, Given, type ToolboxDraft } from "./composer.tsx";

export function ToolboxPanel({ name }: { name: string }) {
  const path = joinPath("toolboxes", name);
  const answer = useGet<ToolboxAnswer>(path);
  const mayChange = useHasRole("admin");
  const remove = useRemoval(answer.data?.toolbox);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({}, "/toolboxes")}
      actions={
        mayChange &&
        answer.data?.toolbox.builtin === false && (
          <Menu
            label="More to do with the toolbox"
            items={[{ label: "Delete", icon: "trash", danger: true, onSelect: () => void remove() }]}
          />
        )
      }
    >
      <QueryView query={answer}>
        {({ toolbox }) => (
          <>
            {toolbox.builtin || !mayChange ? (
              <ReadOnly toolbox={toolbox} />
            ) : (
              <Editor key={toolbox.name} toolbox={toolbox} />
            )}
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function useRemoval(toolbox: ToolboxView | undefined): () => Promise<void> {
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
      title: `Delete the toolbox ${name}?`,
      description:
        agents.length === 0
          ? "No agent has it. It cannot be undone."
          : `${agents.join(", ")} lose what only this toolbox gives, in conversations under way too. It cannot be undone.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run(name))) navigate(urlWith({}, "/toolboxes"));
  };
}

function ReadOnly({ toolbox }: { toolbox: ToolboxView }) {
  const contents = useGet<ToolboxTools>(`${joinPath("toolboxes", toolbox.name)}/tools`);
  return (
    <>
      <PanelSection>
        {toolbox.builtin && (
          <p className="mb-2">
            <Badge>comes with Toolkeep</Badge>{" "}
            <span className="text-soft">It cannot be changed; make one of your own beside it.</span>
          </p>
        )}
        <UntrustedText text={toolbox.description} />
      </PanelSection>
      <Agents agents={toolbox.agents} />
      <PanelSection title="Tools in it">
        <div className="flex flex-col gap-2">
          {contents.data && <Given contents={contents.data} />}
          <Entries tools={toolbox.tools} contents={contents.data} />
        </div>
      </PanelSection>
    </>
  );
}

function Agents({ agents }: { agents: readonly string[] }) {
  return (
    <PanelSection title="Agents that have it">
      {agents.length === 0 ? (
        <p className="text-soft">None. Give it to one on the agent's page.</p>
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

interface Edited extends ToolboxDraft {
  /** What it was when it was read. */
  readonly since: number;
}

function Editor({ toolbox }: { toolbox: ToolboxView }) {
  const { name, description, tools, updatedAt } = toolbox;
  const stored = useMemo<Edited>(
    () => ({ description, tools, since: updatedAt }),
    [description, tools, updatedAt],
  );
  const [draft, setDraft, forget] = useDraft<Edited | null>(`toolbox.${name}`, null);
  const edited = draft ?? stored;
  const isChanged =
    edited.description !== stored.description || edited.tools.join("\n") !== stored.tools.join("\n");
  const preview = usePreview({ toolbox: { name, tools: edited.tools } });
  const update = useAction({
    run: (client, body: Edited) => client.patch<ToolboxAnswer>(joinPath("toolboxes", name), body),
    successMessage: "Saved",
    invalidates: ["/toolboxes", "/agents", "/access"],
    quiet: true,
  });
  const save = async () => {
    if (await update.run(edited)) forget();
  };
  const discard = () => {
    update.reset();
    forget();
  };
  return (
    <>
      <Composer
        draft={edited}
        onChange={(next) => setDraft({ ...edited, ...next })}
        contents={preview.data?.toolbox}
      />
      <Agents agents={toolbox.agents} />
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
