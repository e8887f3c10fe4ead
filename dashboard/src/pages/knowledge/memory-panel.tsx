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
import { ownerOf } from "./memories.tsx";

const CHANGES = ["/memories", "/search"];

/** One memory: what it says, what it said before, and taking it back. */
export function MemoryPanel({ id }: { id: string }) {
  const answer = useGet<MemoryAnswer>(joinPath("memories", id));
  const history = useGet<MemoryHistory>(joinPath("memories", id, "history"));
  return (
    <SidePanel
      title={<UntrustedText text={answer.data?.memory.key ?? "A memory"} line />}
      closeTo={urlWith({}, "/knowledge/memories")}
      actions={answer.data && <Actions memory={answer.data.memory} />}
    >
      <QueryView query={answer}>
        {({ memory }) => (
          <>
            <Text memory={memory} />
            <PanelSection>
              <KeyValues
                pairs={[
                  ["Kind", <Badge key="kind">{memory.type}</Badge>],
                  ["Whose", ownerOf(memory)],
                  ["Written by", memory.writtenBy],
                  [
                    "Tags",
                    memory.tags.length > 0 && <UntrustedText key="tags" text={memory.tags.join(", ")} />,
                  ],
                  ["Label", memory.label],
                  ["Changed", <Time key="changed" at={memory.updatedAt} />],
                  ["Last found", <Time key="used" at={memory.lastUsedAt} />],
                  ["Until", memory.expiresAt !== null && <Time key="until" at={memory.expiresAt} />],
                ]}
              />
            </PanelSection>
            {Object.keys(memory.metadata).length > 0 && (
              <PanelSection title="More">
                <Json value={memory.metadata} label="the metadata" />
              </PanelSection>
            )}
            <PanelSection title="What it said before">
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

function Text({ memory }: { memory: MemoryView }) {
  const [typed, setTyped, forget] = useDraft<string | null>(`memory.${memory.id}`, null);
  const save = useAction({
    run: (client, text: string) => client.patch<MemoryAnswer>(joinPath("memories", memory.id), { text }),
    successMessage: "Saved",
    invalidates: CHANGES,
  });
  return (
    <PanelSection>
      {typed === null ? (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <UntrustedText text={memory.text} max={4_000} />
          </div>
          <RequireRole role="operator">
            <Button look="quiet" onClick={() => setTyped(memory.text)}>
              Correct
            </Button>
          </RequireRole>
        </div>
      ) : (
        <div className="flex flex-col gap-2">
          <TextArea
            aria-label="What it says"
            rows={6}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <div className="flex gap-2">
            <Button
              look="primary"
              busy={save.isBusy}
              onClick={async () => {
                if (await save.run(typed)) forget();
              }}
            >
              Save
            </Button>
            <Button onClick={forget}>Cancel</Button>
          </div>
        </div>
      )}
    </PanelSection>
  );
}

/** Newest first, each with how it became what followed it. */
function Versions({ now, versions }: { now: string; versions: readonly MemoryVersionView[] }) {
  if (versions.length === 0) return <p className="text-soft">Nothing else.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {versions.map((version, index) => (
        <li key={version.id}>
          <div className="mb-1 text-xs text-soft">
            until <Time at={version.endedAt} />
            {version.endedBy && ` · changed by ${version.endedBy}`}
          </div>
          <Diff before={version.text} after={versions[index - 1]?.text ?? now} label="What changed" />
        </li>
      ))}
    </ol>
  );
}

function Actions({ memory: { id } }: { memory: MemoryView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const isOperator = useHasRole("operator");
  const back = urlWith({}, "/knowledge/memories");
  const retract = useAction({
    run: (client) => client.post<Done>(joinPath("memories", id, "retract")),
    successMessage: "Taken back",
    invalidates: CHANGES,
  });
  const remove = useAction({
    run: (client) => client.delete<Done>(joinPath("memories", id)),
    successMessage: "Forgotten",
    invalidates: CHANGES,
  });
  const takeBack = async () => {
    const isConfirmed = await confirm({
      title: "Take this memory back?",
      description: "No agent finds it any more. What it said is kept among what was.",
      action: "Take it back",
    });
    if (isConfirmed && (await retract.run())) navigate(back);
  };
  const forget = async () => {
    const isConfirmed = await confirm({
      title: "Forget this memory?",
      description: "It and everything it said before is deleted for good.",
      action: "Forget",
      danger: true,
    });
    if (isConfirmed && (await remove.run())) navigate(back);
  };
  return (
    <Menu
      label="More about this memory"
      items={[
        ...(isOperator ? [{ label: "Take it back", onSelect: () => void takeBack() }] : []),
        ...(isAdmin
          ? [{ label: "Forget", icon: "trash" as const, danger: true, onSelect: () => void forget() }]
          : []),
      ]}
    />
  );
}
