import type { AccessPreview } from "../../api/contract.ts";
import { Field, TextInput } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { EntryList } from "../access/entry-list.tsx";
import { formatCompact, formatCount } from "../access/tool-labels.tsx";
import { ToolPicker } from "../access/tool-picker.tsx";

export interface ToolboxDraft {
  readonly description: string;
  readonly tools: readonly string[];
}

type Contents = NonNullable<AccessPreview["toolbox"]>;

/** The description and the tools of a toolbox. */
export function ToolboxForm({
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
        <Field label="Description">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={description}
              onChange={({ target }) => onChange({ ...draft, description: target.value })}
            />
          )}
        </Field>
      </PanelSection>
      <PanelSection title="Tools">
        <div className="flex flex-col gap-2">
          <ToolPicker
            label="Add tools: describe what they should do"
            allowPatterns
            selected={tools}
            onAdd={(entry) => onChange({ ...draft, tools: [...tools, entry].sort() })}
          />
          <ToolboxEntries
            tools={tools}
            contents={contents}
            onRemove={(entry) => onChange({ ...draft, tools: tools.filter((one) => one !== entry) })}
          />
          {contents && <ContentsSummary contents={contents} />}
        </div>
      </PanelSection>
    </>
  );
}

/** How many tools the entries cover now, and their cost. */
export function ContentsSummary({ contents: { tools, tokens } }: { contents: Contents }) {
  return (
    <p className="text-soft">
      Contains {formatCount(tools.length, "tool")} now. Listing all of them takes about{" "}
      {formatCompact(tokens)} tokens.
    </p>
  );
}

export function ToolboxEntries({
  tools,
  contents,
  onRemove,
}: {
  tools: readonly string[];
  contents: Contents | undefined;
  onRemove?: (entry: string) => void;
}) {
  const hasProblem = (entry: string) =>
    contents !== undefined && (contents.unknown.includes(entry) || contents.unmatched.includes(entry));
  const note = (entry: string) => {
    if (!contents) return "";
    if (contents.unknown.includes(entry)) return "no tool has this name";
    if (contents.unmatched.includes(entry)) return "matches no tool yet";
    if (contents.planned.includes(entry)) return "planned";
    const matches = contents.tools.filter((tool) => tool.entry === entry);
    if (entry === "*" || entry.includes(":")) return formatCount(matches.length, "tool");
    return matches[0] ? `${formatCompact(matches[0].tokens)} tokens` : "";
  };
  return (
    <EntryList
      entries={tools}
      note={note}
      hasProblem={hasProblem}
      empty="No tools yet."
      {...(onRemove ? { onRemove } : {})}
    />
  );
}
