import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ToolAnswer, ToolDetail } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, FormProblem } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CAPABILITIES } from "../access/capability-labels.ts";
import { KindBadge, Origin, ToolStateMark } from "../access/tool-labels.tsx";
import { describeFinding } from "../servers/finding-labels.ts";

export function ToolFacts({ tool }: { tool: ToolDetail }) {
  return (
    <>
      <PanelSection>
        <p className="mb-3">
          {tool.description === "" ? (
            <span className="text-soft">No description.</span>
          ) : (
            <UntrustedText text={tool.description} max={1_200} />
          )}
        </p>
        <Warnings tool={tool} />
        <KeyValues
          pairs={[
            ["Source", <Origin key="origin" origin={tool.origin} />],
            ["Name on server", tool.ownName !== tool.name && <UntrustedText text={tool.ownName} mono />],
            ["State", <State key="state" tool={tool} />],
            ["Kind", <KindBadge key="kind" flags={tool.flags} />],
            ["Parallel calls", tool.flags.concurrencySafe ? "Allowed" : "One at a time"],
            ["Tokens", `About ${tool.tokens.toLocaleString("en")} in a prompt`],
            ["Listing", describeListing(tool)],
            ["Scope", <UntrustedText key="scope" text={tool.scope} mono />],
            ["Timeout", formatDuration(tool.timeoutMs)],
          ]}
        />
      </PanelSection>
      <Capabilities tool={tool} />
      <PanelSection title="Toolboxes">
        {tool.toolboxes.length === 0 ? (
          <p className="text-soft">None.{tool.floor && " Every agent has it anyway."}</p>
        ) : (
          <ul className="flex flex-wrap gap-x-3 gap-y-1">
            {tool.toolboxes.map((name) => (
              <li key={name}>
                <TextLink to={joinPath("toolboxes", name)}>
                  <UntrustedText text={name} />
                </TextLink>
              </li>
            ))}
          </ul>
        )}
      </PanelSection>
    </>
  );
}

function State({ tool: { status } }: { tool: ToolDetail }) {
  return (
    <>
      <ToolStateMark status={status} />
      {status.kind !== "active" && (
        <span className="block text-soft">
          <UntrustedText text={status.reason} />
        </span>
      )}
    </>
  );
}

function describeListing({ floor, deferrable }: ToolDetail): string {
  if (floor) return "Every agent has it";
  return deferrable
    ? "Listed when granted by name; long lists defer it to search otherwise"
    : "Always listed";
}

function Warnings({ tool: { warnings, findings, untrusted } }: { tool: ToolDetail }) {
  if (warnings.length + findings.length === 0 && !untrusted) return null;
  return (
    <ul className="mb-3 flex flex-col gap-2">
      {untrusted && (
        <li>
          <Badge tone="warn">Untrusted server</Badge>
        </li>
      )}
      {warnings.map((warning) => (
        <li key={warning} className="rounded-md border border-warn bg-warn-soft px-3 py-2">
          <UntrustedText text={warning} />
        </li>
      ))}
      {findings.map(({ kind, field, excerpt }) => (
        <li key={kind + field + excerpt} className="rounded-md border border-warn bg-warn-soft px-3 py-2">
          <span className="font-medium text-warn">This tool {describeFinding(kind)}</span> in{" "}
          <UntrustedText text={field} mono />
          <span className="block">
            <UntrustedText text={excerpt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Capabilities({ tool }: { tool: ToolDetail }) {
  const [isEditing, setIsEditing] = useState(false);
  const canEdit = useHasRole("admin") && tool.origin.startsWith("mcp:");
  const labels = CAPABILITIES.filter(([id]) => tool.capabilities.includes(id)).map(([, label]) => label);
  return (
    <PanelSection
      title="Capabilities"
      actions={
        canEdit && (
          <Button look="quiet" onClick={() => setIsEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      {labels.length === 0 ? (
        <p className="text-soft">None.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {labels.map((word) => (
            <li key={word}>
              <Badge>{word}</Badge>
            </li>
          ))}
        </ul>
      )}
      {tool.corrected && <p className="mt-2 text-xs text-soft">Edited by a person.</p>}
      {isEditing && <EditCapabilitiesDialog tool={tool} onClose={() => setIsEditing(false)} />}
    </PanelSection>
  );
}

function EditCapabilitiesDialog({ tool, onClose }: { tool: ToolDetail; onClose: () => void }) {
  const [selected, setSelected] = useState<readonly string[]>(tool.capabilities);
  const save = useAction({
    run: (client, capabilities: readonly string[] | null) =>
      client.put<ToolAnswer>(`${joinPath("tools", tool.name)}/capabilities`, { capabilities }),
    successMessage: "Saved",
    invalidates: ["/tools", "/agents"],
    quiet: true,
  });
  const send = async (capabilities: readonly string[] | null) => {
    if (await save.run(capabilities)) onClose();
  };
  return (
    <Dialog
      title="Edit capabilities"
      onClose={onClose}
      footer={
        <>
          {tool.corrected && (
            <Button busy={save.isBusy} onClick={() => void send(null)}>
              Reset to its definition
            </Button>
          )}
          <Button look="primary" busy={save.isBusy} onClick={() => void send(selected)}>
            Save
          </Button>
        </>
      }
    >
      <p className="mb-3 text-soft">
        What the tool can do outside the call. Rules use it, for example to ask before a tool writes files.
      </p>
      <div className="flex flex-col gap-2">
        {CAPABILITIES.map(([id, label]) => (
          <Checkbox
            key={id}
            label={label}
            checked={selected.includes(id)}
            onChange={({ target }) =>
              setSelected(target.checked ? [...selected, id] : selected.filter((one) => one !== id))
            }
          />
        ))}
      </div>
      <div className="mt-3">
        <FormProblem problem={save.problem} />
      </div>
    </Dialog>
  );
}
