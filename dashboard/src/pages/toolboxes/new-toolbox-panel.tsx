import { pathOf } from "../../api/client.ts";
import type { NewToolbox, ToolboxAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { here, navigate } from "../../app/location.ts";
import { Field, TextInput } from "../../ui/form.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { SaveBar } from "../access/save-bar.tsx";
import { usePreview } from "../access/use-preview.ts";
import { Composer } from "./composer.tsx";

const EMPTY: NewToolbox & { readonly description: string } = { name: "", description: "", tools: [] };

export function NewToolboxPanel() {
  const [draft, setDraft, forget] = useDraft("toolbox-new", EMPTY);
  const preview = usePreview({ toolbox: { name: draft.name || "new", tools: draft.tools } });
  const create = useAction({
    run: (client, body: NewToolbox) => client.post<ToolboxAnswer>("/toolboxes", body),
    done: ({ toolbox }) => `${toolbox.name} is there now`,
    changes: ["/toolboxes"],
    quiet: true,
  });
  const save = async () => {
    const made = await create.run(draft);
    if (!made) return;
    forget();
    navigate(here({ new: "" }, pathOf("toolboxes", made.toolbox.name)));
  };
  const leave = () => {
    forget();
    navigate(here({ new: "" }, "/toolboxes"));
  };
  return (
    <SidePanel title="New toolbox" back={here({ new: "" }, "/toolboxes")}>
      <PanelSection>
        <Field label="Name" hint="Small letters, digits and dashes: research-web">
          {(given) => (
            <TextInput
              {...given}
              mono
              value={draft.name}
              onChange={({ target }) => setDraft({ ...draft, name: target.value })}
            />
          )}
        </Field>
      </PanelSection>
      <Composer
        draft={draft}
        onChange={(next) => setDraft({ ...draft, ...next })}
        contents={preview.data?.toolbox}
      />
      <SaveBar
        label="Create it"
        busy={create.busy}
        disabled={draft.name === ""}
        problem={create.problem}
        onSave={() => void save()}
        onDiscard={leave}
      />
    </SidePanel>
  );
}
