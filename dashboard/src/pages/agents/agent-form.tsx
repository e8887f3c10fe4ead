import { useState } from "react";
import type { AgentInput, ToolboxList, ToolboxView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox, Field, Select, TextInput } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { EntryList } from "../access/entry-list.tsx";
import { ToolPicker } from "../access/tool-picker.tsx";
import { counted } from "../access/tool-words.tsx";

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

/** What an agent is given. Without `onChange` it is only shown. */
export function AgentForm({
  draft,
  onChange,
}: {
  draft: AgentDraft;
  onChange?: (change: Partial<AgentDraft>) => void;
}) {
  const change = (given: Partial<AgentDraft>) => onChange?.(given);
  return (
    <>
      <PanelSection>
        <Field label="What it is for">
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
        <Toolboxes chosen={draft.toolboxes} onChange={(toolboxes) => change({ toolboxes })} />
      </PanelSection>
      <PanelSection title="Single tools">
        <div className="flex flex-col gap-2">
          {onChange && (
            <ToolPicker
              label="Give it a tool: say what it should do"
              patterns
              taken={draft.grants}
              onAdd={(entry) => change({ grants: [...draft.grants, entry] })}
            />
          )}
          <EntryList
            entries={draft.grants}
            note={() => ""}
            empty="None beside its toolboxes."
            {...(onChange && {
              onRemove: (entry: string) => change({ grants: without(draft.grants, entry) }),
            })}
          />
        </div>
      </PanelSection>
      <PanelSection title="Always in its list">
        <div className="flex flex-col gap-2">
          <p className="text-soft">
            Long lists leave tools to search. These stay in the list, for what it needs all the time.
          </p>
          {onChange && (
            <ToolPicker
              label="Keep a tool in its list"
              taken={draft.pins}
              onAdd={(entry) => change({ pins: [...draft.pins, entry] })}
            />
          )}
          <EntryList
            entries={draft.pins}
            note={() => ""}
            empty="None."
            {...(onChange && { onRemove: (entry: string) => change({ pins: without(draft.pins, entry) }) })}
          />
        </div>
      </PanelSection>
      <PanelSection title="Folders beside its workspace">
        <Folders folders={draft.folders} {...(onChange && { onChange: (folders) => change({ folders }) })} />
      </PanelSection>
      <PanelSection title="More">
        <div className="flex flex-col gap-3">
          <Field
            label="Its model"
            hint="As its provider calls it. Lists are cut to what the model takes; empty: nobody says."
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
            label="Nobody watches it"
            hint="What would ask a person is refused at once instead of waiting."
            checked={draft.headless}
            onChange={({ target }) => change({ headless: target.checked })}
          />
          <Checkbox
            label="Its model runs locally"
            hint="The tools that such models use all the time are always listed. Known by itself for names such as ollama/… and local addresses."
            checked={draft.localModel}
            onChange={({ target }) => change({ localModel: target.checked })}
          />
          <Checkbox
            label="It coordinates other agents"
            hint="The tools for leading agents are always listed."
            checked={draft.coordinator}
            onChange={({ target }) => change({ coordinator: target.checked })}
          />
        </div>
      </PanelSection>
    </>
  );
}

function without(entries: readonly string[], entry: string): readonly string[] {
  return entries.filter((one) => one !== entry);
}

const MANY = 8;

function Toolboxes({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (toolboxes: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState("");
  const known = useGet<ToolboxList>("/toolboxes").data?.toolboxes ?? [];
  const gone = chosen.filter((name) => !known.some((toolbox) => toolbox.name === name));
  const wanted = typed.toLowerCase();
  const shown = known.filter(
    ({ name, description }) =>
      chosen.includes(name) || `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const toggle = (name: string, isOn: boolean) => onChange(isOn ? [...chosen, name] : without(chosen, name));
  return (
    <div className="flex flex-col gap-2">
      {known.length > MANY && (
        <TextInput
          aria-label="Find a toolbox"
          placeholder="Find a toolbox"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {shown.map((toolbox) => (
        <ToolboxLine
          key={toolbox.name}
          toolbox={toolbox}
          isOn={chosen.includes(toolbox.name)}
          onToggle={(isOn) => toggle(toolbox.name, isOn)}
        />
      ))}
      {gone.map((name) => (
        <Checkbox
          key={name}
          label={<UntrustedText text={name} />}
          hint="There is no toolbox of this name; it gives nothing until there is."
          checked
          onChange={() => toggle(name, false)}
        />
      ))}
    </div>
  );
}

function ToolboxLine({
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
          {!builtin && <Badge>yours</Badge>}
          <span className="min-w-0 text-soft">
            <UntrustedText text={description || counted(tools.length, "tool")} line />
          </span>
        </span>
      }
      checked={isOn}
      onChange={({ target }) => onToggle(target.checked)}
    />
  );
}

const ACCESS = [
  ["read", "may read"],
  ["write", "may read and write"],
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
              aria-label={`What it may do in ${folder.path}`}
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
              label={`Take away ${folder.path}`}
              onClick={() => onChange(folders.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {folders.length === 0 && <p className="text-soft">None: it works in its own workspace.</p>}
      {onChange && (
        <div className="flex gap-2">
          <TextInput
            mono
            aria-label="A folder, from the root"
            placeholder="/home/me/notes"
            value={path}
            onChange={({ target }) => setPath(target.value)}
          />
          <Button
            icon="plus"
            disabled={path.trim() === "" || folders.some((folder) => folder.path === path.trim())}
            onClick={add}
          >
            Add
          </Button>
        </div>
      )}
    </div>
  );
}
