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
import { CAPABILITIES } from "../access/capability-words.ts";
import { KindBadge, Origin, ToolStateMark } from "../access/tool-words.tsx";

export function ToolFacts({ tool }: { tool: ToolDetail }) {
  return (
    <>
      <PanelSection>
        <p className="mb-3">
          {tool.description === "" ? (
            <span className="text-soft">It says nothing of itself.</span>
          ) : (
            <UntrustedText text={tool.description} max={1_200} />
          )}
        </p>
        <Warnings tool={tool} />
        <KeyValues
          pairs={[
            ["From", <Origin key="origin" origin={tool.origin} />],
            ["Called there", tool.ownName !== tool.name && <UntrustedText text={tool.ownName} mono />],
            ["State", <State key="state" tool={tool} />],
            ["Kind", <KindBadge key="kind" flags={tool.flags} />],
            ["At once", tool.flags.concurrencySafe ? "may run beside others" : "one at a time"],
            ["Tokens", `about ${tool.tokens.toLocaleString("en")} in a model's list`],
            ["In lists", listWords(tool)],
            ["Scope", <UntrustedText key="scope" text={tool.scope} mono />],
            ["Time limit", formatDuration(tool.timeoutMs)],
          ]}
        />
      </PanelSection>
      <Capabilities tool={tool} />
      <PanelSection title="Toolboxes that give it">
        {tool.toolboxes.length === 0 ? (
          <p className="text-soft">None.{tool.floor && " Every agent has it all the same."}</p>
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

function listWords({ floor, deferrable }: ToolDetail): string {
  if (floor) return "every agent has it";
  return deferrable
    ? "in the list of who has it by name; long lists leave it to search otherwise"
    : "always in the list of who has it";
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
          <span className="font-medium text-warn">Look at this: {kind.replaceAll("_", " ")}</span> in{" "}
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
  const [editing, setEditing] = useState(false);
  const mayCorrect = useHasRole("admin") && tool.origin.startsWith("mcp:");
  const words = CAPABILITIES.filter(([id]) => tool.capabilities.includes(id)).map(([, label]) => label);
  return (
    <PanelSection
      title="What it can do outside the call"
      actions={
        mayCorrect && (
          <Button look="quiet" onClick={() => setEditing(true)}>
            Correct
          </Button>
        )
      }
    >
      {words.length === 0 ? (
        <p className="text-soft">Nothing that rules look at.</p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {words.map((word) => (
            <li key={word}>
              <Badge>{word}</Badge>
            </li>
          ))}
        </ul>
      )}
      {tool.corrected && <p className="mt-2 text-xs text-soft">A person said so.</p>}
      {editing && <CorrectDialog tool={tool} onClose={() => setEditing(false)} />}
    </PanelSection>
  );
}

function CorrectDialog({ tool, onClose }: { tool: ToolDetail; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly string[]>(tool.capabilities);
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
      title="What can it do outside the call?"
      onClose={onClose}
      footer={
        <>
          {tool.corrected && (
            <Button busy={save.isBusy} onClick={() => void send(null)}>
              What its definition says
            </Button>
          )}
          <Button look="primary" busy={save.isBusy} onClick={() => void send(chosen)}>
            Save
          </Button>
        </>
      }
    >
      <p className="mb-3 text-soft">
        Rules go by this: what reaches the network or writes files may ask a person first.
      </p>
      <div className="flex flex-col gap-2">
        {CAPABILITIES.map(([id, label]) => (
          <Checkbox
            key={id}
            label={label}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              setChosen(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
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
