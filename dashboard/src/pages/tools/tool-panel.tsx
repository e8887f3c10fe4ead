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
import { ToolFacts } from "./tool-facts.tsx";
import { ToolUseTab } from "./tool-use.tsx";
import { TryIt } from "./try-it.tsx";
import { WhyFound } from "./why.tsx";

/** One tool: what it is, trying it, who uses it, its definition. */
export function ToolPanel({ name, match }: { name: string; match: ToolMatch | undefined }) {
  const answer = useGet<ToolAnswer>(joinPath("tools", name));
  const mayTry = useHasRole("operator");
  const tabs = [
    { id: "about", label: "About" },
    ...(mayTry ? [{ id: "try", label: "Try it" }] : []),
    { id: "use", label: "Who and when" },
    { id: "schema", label: "Schema" },
  ] as const;
  const tab = useTab("tab", tabs.map(({ id }) => id) as unknown as readonly [string, ...string[]]);
  return (
    <SidePanel
      title={<UntrustedText text={name} mono line />}
      actions={<CopyButton text={name} label="Copy the name" />}
      closeTo={urlWith({ tab: "" }, "/tools")}
    >
      <Tabs name="tab" tabs={tabs} label="Parts of the tool" />
      <QueryView query={answer}>
        {({ tool }) => (
          <>
            {tab === "about" && (
              <>
                <ToolFacts tool={tool} />
                {match && <WhyFound match={match} />}
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
      <PanelSection title="What it takes">
        <Json value={tool.inputSchema} label="the schema of what it takes" tall />
      </PanelSection>
      <PanelSection title="What it gives">
        {tool.outputSchema ? (
          <Json value={tool.outputSchema} label="the schema of what it gives" tall />
        ) : (
          <p className="text-soft">It does not say what its results look like.</p>
        )}
      </PanelSection>
    </>
  );
}
