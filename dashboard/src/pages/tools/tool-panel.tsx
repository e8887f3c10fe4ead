import { joinPath } from "../../api/client.ts";
import type { ToolAnswer, ToolDetail, ToolMatch } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Json } from "../../ui/code.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { MatchExplanation } from "./match-explanation.tsx";
import { ToolFacts } from "./tool-facts.tsx";
import { ToolUseTab } from "./tool-use.tsx";
import { TryIt } from "./try-it.tsx";

/** One tool: facts, a form to try it, usage and schema. */
export function ToolPanel({ name, match }: { name: string; match: ToolMatch | undefined }) {
  const answer = useGet<ToolAnswer>(joinPath("tools", name));
  const canTry = useHasRole("operator");
  const tabs = [
    { id: "about", label: "About" },
    ...(canTry ? [{ id: "try", label: "Try it" }] : []),
    { id: "use", label: "Usage" },
    { id: "schema", label: "Schema" },
  ] as const;
  const tab = useTab("tab", tabs.map(({ id }) => id) as unknown as readonly [string, ...string[]]);
  return (
    <SidePanel
      title={<UntrustedText text={name} mono line />}
      actions={<CopyButton text={name} label="Copy name" />}
      closeTo={urlWith({ tab: "" }, "/tools")}
    >
      <Tabs name="tab" tabs={tabs} label="Tool details" />
      <QueryView query={answer}>
        {({ tool }) => (
          <>
            {tab === "about" && (
              <>
                <ToolFacts tool={tool} />
                {match && <MatchExplanation match={match} />}
              </>
            )}
            {tab === "try" && <TryIt key={tool.name} tool={tool} />}
            {tab === "use" && <ToolUseTab name={tool.name} />}
            {tab === "schema" && <Schemas tool={tool} />}
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function Schemas({ tool }: { tool: ToolDetail }) {
  return (
    <>
      <PanelSection title="Input">
        <Json value={tool.inputSchema} label="Input schema" tall />
      </PanelSection>
      <PanelSection title="Output">
        {tool.outputSchema ? (
          <Json value={tool.outputSchema} label="Output schema" tall />
        ) : (
          <p className="text-soft">The tool has no output schema.</p>
        )}
      </PanelSection>
    </>
  );
}
