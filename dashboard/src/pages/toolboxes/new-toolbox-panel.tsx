import { joinPath } from "../../api/client.ts";
import type { NewToolbox, ToolboxAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
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
    successMessage: ({ toolbox }) => `${toolbox.name} is there now`,
    invalidates: ["/toolboxes"],
    quiet: true,
  });
  const save = async () => {
    const made = await create.run(draft);
    if (!made) return;
    forget();
    navigate(urlWith({ new: "" }, joinPath("toolboxes", made.toolbox.name)));
  };
  const leave = () => {
    forget();
    navigate(urlWith({ new: "" }, "/toolboxes"));
  };
  return (
    <SidePanel title="New toolbox" closeTo={urlWith({ new: "" }, "/toolboxes")}>
      <PanelSection>
        <Field label="Name" hint="Small letters, digits and dashes: research-web">
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
      <Composer
        draft={draft}
        onChange={(next) => setDraft({ ...draft, ...next })}
        contents={preview.data?.toolbox}
      />
      <SaveBar
        label="Create it"
        busy={create.isBusy}
        disabled={draft.name === ""}
        problem={create.problem}
        onSave={() => void save()}
        onDiscard={leave}
      />
    </SidePanel>
  );
}
