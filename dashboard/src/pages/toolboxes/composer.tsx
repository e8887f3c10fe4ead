import type { AccessPreview } from "../../api/contract.ts";
import { Field, TextInput } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { EntryList } from "../access/entry-list.tsx";
import { ToolPicker } from "../access/tool-picker.tsx";
import { counted, short } from "../access/tool-words.tsx";

export interface ToolboxDraft {
  readonly description: string;
  readonly tools: readonly string[];
}

type Contents = NonNullable<AccessPreview["toolbox"]>;

/** What a toolbox is for and what is in it. */
export function Composer({
  draft,
  onChange,
  contents,
}: {
  draft: ToolboxDraft;
  onChange: (draft: ToolboxDraft) => void;
  contents: Contents | undefined;
}) {
  const { description, tools } = draft;
  return (
    <>
      <PanelSection>
        <Field label="What it is for">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={description}
              onChange={({ target }) => onChange({ ...draft, description: target.value })}
            />
          )}
        </Field>
      </PanelSection>
      <PanelSection title="Tools in it">
        <div className="flex flex-col gap-2">
          <ToolPicker
            label="Add tools: say what they should do"
            patterns
            taken={tools}
            onAdd={(entry) => onChange({ ...draft, tools: [...tools, entry].sort() })}
          />
          <Entries
            tools={tools}
            contents={contents}
            onRemove={(entry) => onChange({ ...draft, tools: tools.filter((one) => one !== entry) })}
          />
          {contents && <Given contents={contents} />}
        </div>
      </PanelSection>
    </>
  );
}

/** What it comes to now. */
export function Given({ contents: { tools, tokens } }: { contents: Contents }) {
  return (
    <p className="text-soft">
      Gives {counted(tools.length, "tool")} now; a list of all of them takes about {short(tokens)} tokens.
    </p>
  );
}

export function Entries({
  tools,
  contents,
  onRemove,
}: {
  tools: readonly string[];
  contents: Contents | undefined;
  onRemove?: (entry: string) => void;
}) {
  const isWrong = (entry: string) =>
    contents !== undefined && (contents.unknown.includes(entry) || contents.unmatched.includes(entry));
  const note = (entry: string) => {
    if (!contents) return "";
    if (contents.unknown.includes(entry)) return "no tool has this name";
    if (contents.unmatched.includes(entry)) return "fits no tool yet";
    if (contents.planned.includes(entry)) return "not there yet";
    const given = contents.tools.filter((tool) => tool.entry === entry);
    if (entry === "*" || entry.includes(":")) return counted(given.length, "tool");
    return given[0] ? `${short(given[0].tokens)} tokens` : "";
  };
  return (
    <EntryList
      entries={tools}
      note={note}
      isWrong={isWrong}
      empty="Nothing yet."
      {...(onRemove ? { onRemove } : {})}
    />
  );
}
