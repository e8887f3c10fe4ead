import { joinPath } from "../../api/client.ts";
import type { NewToolbox, ToolboxAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Field, TextInput } from "../../ui/form.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { SaveBar } from "../access/save-bar.tsx";
import { usePreview } from "../access/use-preview.ts";
import { ToolboxForm } from "./toolbox-form.tsx";

const EMPTY: NewToolbox & { readonly description: string } = { name: "", description: "", tools: [] };

export function NewToolboxPanel() {
  const [draft, setDraft, clearDraft] = useDraft("toolbox-new", EMPTY);
  const preview = usePreview({ toolbox: { name: draft.name || "new", tools: draft.tools } });
  const create = useAction({
    run: (client, body: NewToolbox) => client.post<ToolboxAnswer>("/toolboxes", body),
    successMessage: ({ toolbox }) => `Created ${toolbox.name}`,
    invalidates: ["/toolboxes"],
    quiet: true,
  });
  const save = async () => {
    const result = await create.run(draft);
    if (!result) return;
    clearDraft();
    navigate(urlWith({ new: "" }, joinPath("toolboxes", result.toolbox.name)));
  };
  const discard = () => {
    clearDraft();
    navigate(urlWith({ new: "" }, "/toolboxes"));
  };
  return (
    <SidePanel title="Create toolbox" closeTo={urlWith({ new: "" }, "/toolboxes")}>
      <PanelSection>
        <Field label="Name" hint="Lowercase letters, digits and dashes, such as research-web">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              mono
              value={draft.name}
              onChange={({ target }) => setDraft({ ...draft, name: target.value })}
            />
          )}
        </Field>
      </PanelSection>
      <ToolboxForm
        draft={draft}
        onChange={(next) => setDraft({ ...draft, ...next })}
        contents={preview.data?.toolbox}
      />
      <SaveBar
        label="Create toolbox"
        busy={create.isBusy}
        disabled={draft.name === ""}
        problem={create.problem}
        onSave={() => void save()}
        onDiscard={discard}
      />
    </SidePanel>
  );
}
