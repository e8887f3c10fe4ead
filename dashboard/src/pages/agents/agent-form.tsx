import { useState } from "react";
import type { AgentInput, ToolboxList, ToolboxView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox, Field, Select, TextInput } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { EntryList } from "../access/entry-list.tsx";
import { formatCount } from "../access/tool-labels.tsx";
import { ToolPicker } from "../access/tool-picker.tsx";

export type AgentDraft = Required<Omit<AgentInput, "description">> & { readonly description: string };

export const NEW_AGENT: AgentDraft = {
  description: "",
  toolboxes: [],
  grants: [],
  pins: [],
  folders: [],
  model: null,
  headless: false,
  localModel: false,
  coordinator: false,
};

/** The access of an agent. Read-only without `onChange`. */
export function AgentForm({
  draft,
  onChange,
}: {
  draft: AgentDraft;
  onChange?: (change: Partial<AgentDraft>) => void;
}) {
  const change = (next: Partial<AgentDraft>) => onChange?.(next);
  return (
    <>
      <PanelSection>
        <Field label="Description">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={draft.description}
              onChange={({ target }) => change({ description: target.value })}
            />
          )}
        </Field>
      </PanelSection>
      <PanelSection title="Toolboxes">
        <ToolboxChoices selected={draft.toolboxes} onChange={(toolboxes) => change({ toolboxes })} />
      </PanelSection>
      <PanelSection title="Granted tools">
        <div className="flex flex-col gap-2">
          {onChange && (
            <ToolPicker
              label="Grant a tool: describe what it should do"
              allowPatterns
              selected={draft.grants}
              onAdd={(entry) => change({ grants: [...draft.grants, entry] })}
            />
          )}
          <EntryList
            entries={draft.grants}
            note={() => ""}
            empty="No tools beyond its toolboxes."
            {...(onChange && {
              onRemove: (entry: string) => change({ grants: removeEntry(draft.grants, entry) }),
            })}
          />
        </div>
      </PanelSection>
      <PanelSection title="Always listed">
        <div className="flex flex-col gap-2">
          <p className="text-soft">
            Long lists defer tools to search. Add the tools that the agent needs all the time.
          </p>
          {onChange && (
            <ToolPicker
              label="Always list a tool"
              selected={draft.pins}
              onAdd={(entry) => change({ pins: [...draft.pins, entry] })}
            />
          )}
          <EntryList
            entries={draft.pins}
            note={() => ""}
            empty="None."
            {...(onChange && {
              onRemove: (entry: string) => change({ pins: removeEntry(draft.pins, entry) }),
            })}
          />
        </div>
      </PanelSection>
      <PanelSection title="Additional folders">
        <Folders folders={draft.folders} {...(onChange && { onChange: (folders) => change({ folders }) })} />
      </PanelSection>
      <PanelSection title="Advanced">
        <div className="flex flex-col gap-3">
          <Field
            label="Model"
            hint="Optional. The provider's name for it. Toolkeep shortens tool lists to what the model supports."
          >
            {(inputProps) => (
              <TextInput
                {...inputProps}
                mono
                value={draft.model ?? ""}
                onChange={({ target }) => change({ model: target.value === "" ? null : target.value })}
              />
            )}
          </Field>
          <Checkbox
            label="Headless"
            hint="Nobody watches this agent: calls that need approval are refused instead of waiting."
            checked={draft.headless}
            onChange={({ target }) => change({ headless: target.checked })}
          />
          <Checkbox
            label="Local model"
            hint="Always lists the tools that local models use most. Detected for names such as ollama/… and local URLs."
            checked={draft.localModel}
            onChange={({ target }) => change({ localModel: target.checked })}
          />
          <Checkbox
            label="Coordinator"
            hint="Always lists the tools for leading other agents."
            checked={draft.coordinator}
            onChange={({ target }) => change({ coordinator: target.checked })}
          />
        </div>
      </PanelSection>
    </>
  );
}

function removeEntry(entries: readonly string[], entry: string): readonly string[] {
  return entries.filter((one) => one !== entry);
}

const SEARCH_FROM = 8;

function ToolboxChoices({
  selected,
  onChange,
}: {
  selected: readonly string[];
  onChange: (toolboxes: readonly string[]) => void;
}) {
  const [query, setQuery] = useState("");
  const known = useGet<ToolboxList>("/toolboxes").data?.toolboxes ?? [];
  const missing = selected.filter((name) => !known.some((toolbox) => toolbox.name === name));
  const text = query.toLowerCase();
  const visible = known.filter(
    ({ name, description }) =>
      selected.includes(name) || `${name} ${description}`.toLowerCase().includes(text),
  );
  const toggle = (name: string, isOn: boolean) =>
    onChange(isOn ? [...selected, name] : removeEntry(selected, name));
  return (
    <div className="flex flex-col gap-2">
      {known.length > SEARCH_FROM && (
        <TextInput
          aria-label="Find a toolbox"
          placeholder="Find a toolbox"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      )}
      {visible.map((toolbox) => (
        <ToolboxChoice
          key={toolbox.name}
          toolbox={toolbox}
          isOn={selected.includes(toolbox.name)}
          onToggle={(isOn) => toggle(toolbox.name, isOn)}
        />
      ))}
      {missing.map((name) => (
        <Checkbox
          key={name}
          label={<UntrustedText text={name} />}
          hint="This toolbox does not exist, so it adds no tools."
          checked
          onChange={() => toggle(name, false)}
        />
      ))}
    </div>
  );
}

function ToolboxChoice({
  toolbox: { name, description, builtin, tools },
  isOn,
  onToggle,
}: {
  toolbox: ToolboxView;
  isOn: boolean;
  onToggle: (isOn: boolean) => void;
}) {
  return (
    <Checkbox
      label={
        <span className="flex min-w-0 items-center gap-2">
          <span className="shrink-0 font-medium">
            <UntrustedText text={name} />
          </span>
          {!builtin && <Badge>custom</Badge>}
          <span className="min-w-0 text-soft">
            <UntrustedText text={description || formatCount(tools.length, "tool")} line />
          </span>
        </span>
      }
      checked={isOn}
      onChange={({ target }) => onToggle(target.checked)}
    />
  );
}

const ACCESS = [
  ["read", "Read"],
  ["write", "Read and write"],
] as const;

function Folders({
  folders,
  onChange,
}: {
  folders: AgentDraft["folders"];
  onChange?: (folders: AgentDraft["folders"]) => void;
}) {
  const [path, setPath] = useState("");
  const add = () => {
    onChange?.([...folders, { path: path.trim(), access: "read" }]);
    setPath("");
  };
  return (
    <div className="flex flex-col gap-2">
      {folders.map((folder, at) => (
        <div key={folder.path} className="flex items-center gap-2">
          <span className="min-w-0 flex-1">
            <UntrustedText text={folder.path} mono line />
          </span>
          <div className="w-44">
            <Select
              aria-label={`Access to ${folder.path}`}
              options={ACCESS}
              value={folder.access}
              onChange={({ target }) =>
                onChange?.(folders.with(at, { ...folder, access: target.value as "read" | "write" }))
              }
            />
          </div>
          {onChange && (
            <IconButton
              icon="close"
              label={`Remove ${folder.path}`}
              onClick={() => onChange(folders.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {folders.length === 0 && <p className="text-soft">None. The agent works in its own workspace.</p>}
      {onChange && (
        <div className="flex gap-2">
          <TextInput
            mono
            aria-label="Absolute path of a folder"
            placeholder="/home/me/notes"
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
          <Button
            icon="plus"
            disabled={path.trim() === "" || folders.some((folder) => folder.path === path.trim())}
            onClick={add}
          >
            Add folder
          </Button>
        </div>
      )}
    </div>
  );
}
