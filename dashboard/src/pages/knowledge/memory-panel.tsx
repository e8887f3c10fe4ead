import { joinPath } from "../../api/client.ts";
import type { Done, MemoryAnswer, MemoryHistory, MemoryVersionView, MemoryView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { RequireRole, useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Diff } from "../../ui/diff.tsx";
import { TextArea } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { formatOwner } from "./memories.tsx";

const INVALIDATES = ["/memories", "/search"];

/** One memory: its text, its previous versions, and actions to edit, retract or delete it. */
export function MemoryPanel({ id }: { id: string }) {
  const answer = useGet<MemoryAnswer>(joinPath("memories", id));
  const history = useGet<MemoryHistory>(joinPath("memories", id, "history"));
  return (
    <SidePanel
      title={<UntrustedText text={answer.data?.memory.key ?? "Memory"} line />}
      closeTo={urlWith({}, "/knowledge/memories")}
      actions={answer.data && <MemoryMenu memory={answer.data.memory} />}
    >
      <QueryView query={answer}>
        {({ memory }) => (
          <>
            <MemoryText memory={memory} />
            <PanelSection>
              <KeyValues
                pairs={[
                  ["Type", <Badge key="kind">{memory.type}</Badge>],
                  ["Owner", formatOwner(memory)],
                  ["Written by", memory.writtenBy],
                  [
                    "Tags",
                    memory.tags.length > 0 && <UntrustedText key="tags" text={memory.tags.join(", ")} />,
                  ],
                  ["Label", memory.label],
                  ["Updated", <Time key="updated" at={memory.updatedAt} />],
                  ["Last used", <Time key="used" at={memory.lastUsedAt} />],
                  ["Expires", memory.expiresAt !== null && <Time key="until" at={memory.expiresAt} />],
                ]}
              />
            </PanelSection>
            {Object.keys(memory.metadata).length > 0 && (
              <PanelSection title="Metadata">
                <Json value={memory.metadata} label="Metadata" />
              </PanelSection>
            )}
            <PanelSection title="Previous versions">
              <QueryView query={history} rows={2}>
                {({ versions }) => <Versions now={memory.text} versions={versions} />}
              </QueryView>
            </PanelSection>
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function MemoryText({ memory }: { memory: MemoryView }) {
  const [draft, setDraft, clearDraft] = useDraft<string | null>(`memory.${memory.id}`, null);
  const save = useAction({
    run: (client, text: string) => client.patch<MemoryAnswer>(joinPath("memories", memory.id), { text }),
    successMessage: "Saved",
    invalidates: INVALIDATES,
  });
  return (
    <PanelSection>
      {draft === null ? (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <UntrustedText text={memory.text} max={4_000} />
          </div>
          <RequireRole role="operator">
            <Button look="quiet" onClick={() => setDraft(memory.text)}>
              Edit
            </Button>
          </RequireRole>
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <TextArea
            aria-label="Text"
            rows={6}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          <div className="flex gap-2">
            <Button
              look="primary"
              busy={save.isBusy}
              onClick={async () => {
                if (await save.run(draft)) clearDraft();
              }}
            >
              Save
            </Button>
            <Button onClick={clearDraft}>Cancel</Button>
          </div>
        </div>
      )}
    </PanelSection>
  );
}

/** Newest first, each compared with the version that followed it. */
function Versions({ now, versions }: { now: string; versions: readonly MemoryVersionView[] }) {
  if (versions.length === 0) return <p className="text-soft">None.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {versions.map((version, index) => (
        <li key={version.id}>
          <div className="mb-1 text-xs text-soft">
            Until <Time at={version.endedAt} />
            {version.endedBy && ` · changed by ${version.endedBy}`}
          </div>
          <Diff before={version.text} after={versions[index - 1]?.text ?? now} label="Changes" />
        </li>
      ))}
    </ol>
  );
}

function MemoryMenu({ memory: { id } }: { memory: MemoryView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const isOperator = useHasRole("operator");
  const listUrl = urlWith({}, "/knowledge/memories");
  const retract = useAction({
    run: (client) => client.post<Done>(joinPath("memories", id, "retract")),
    successMessage: "Retracted",
    invalidates: INVALIDATES,
  });
  const remove = useAction({
    run: (client) => client.delete<Done>(joinPath("memories", id)),
    successMessage: "Deleted",
    invalidates: INVALIDATES,
  });
  const confirmRetract = async () => {
    const isConfirmed = await confirm({
      title: "Retract this memory?",
      description: "Agents no longer find it. Its text stays in the history.",
      action: "Retract",
    });
    if (isConfirmed && (await retract.run())) navigate(listUrl);
  };
  const confirmDelete = async () => {
    const isConfirmed = await confirm({
      title: "Delete this memory?",
      description: "This deletes the memory and its previous versions. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run())) navigate(listUrl);
  };
  return (
    <Menu
      label="More actions for this memory"
      items={[
        ...(isOperator ? [{ label: "Retract", onSelect: () => void confirmRetract() }] : []),
        ...(isAdmin
          ? [{ label: "Delete", icon: "trash" as const, danger: true, onSelect: () => void confirmDelete() }]
          : []),
      ]}
    />
  );
}
