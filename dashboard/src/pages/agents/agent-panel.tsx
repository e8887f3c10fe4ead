import { joinPath } from "../../api/client.ts";
import type { AgentAnswer, AgentView, TokenList } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Menu } from "../../ui/menu.tsx";
import { SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { formatCount } from "../access/tool-labels.tsx";
import { AccessTab } from "./access-tab.tsx";
import { TokensTab } from "./tokens-tab.tsx";
import { ToolsTab } from "./tools-tab.tsx";

/** One agent: its tools, its access and its tokens. */
export function AgentPanel({ name }: { name: string }) {
  const answer = useGet<AgentAnswer>(joinPath("agents", name));
  const tokens = useGet<TokenList>("/tokens").data?.tokens.filter(({ agent }) => agent === name) ?? [];
  const tab = useTab("tab", ["tools", "access", "tokens"]);
  const canEdit = useHasRole("admin");
  const remove = useConfirmedDelete(name, tokens.length);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({ tab: "" }, "/agents")}
      actions={
        canEdit && (
          <Menu
            label={`More actions for ${name}`}
            items={[{ label: "Delete", icon: "trash", danger: true, onSelect: () => void remove() }]}
          />
        )
      }
    >
      <Tabs
        name="tab"
        label="Agent details"
        tabs={[
          { id: "tools", label: "Tools" },
          { id: "access", label: "Access" },
          { id: "tokens", label: "Tokens", count: tokens.length },
        ]}
      />
      <QueryView query={answer}>
        {({ agent }) => (
          <>
            <AgentSummary agent={agent} />
            {tab === "tools" && <ToolsTab name={agent.name} />}
            {tab === "access" && <AccessTab key={agent.name} agent={agent} canEdit={canEdit} />}
            {tab === "tokens" && <TokensTab agent={agent.name} tokens={tokens} canEdit={canEdit} />}
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function AgentSummary({ agent: { description, parent, context } }: { agent: AgentView }) {
  if (description === "" && parent === null) return null;
  return (
    <p className="px-4 pt-3 text-soft">
      {parent !== null && <UntrustedText text={`A ${context} of ${parent}. `} />}
      <UntrustedText text={description} />
    </p>
  );
}

function useConfirmedDelete(name: string, tokens: number): () => Promise<void> {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client, _: string) => client.delete(joinPath("agents", name)),
    successMessage: "Deleted",
    invalidates: ["/agents", "/tokens", "/toolboxes"],
  });
  return async () => {
    const isConfirmed = await confirm({
      title: `Delete agent ${name}?`,
      description: `${tokens === 0 ? "It has no tokens." : `Its ${formatCount(tokens, "token")} ${tokens === 1 ? "stops" : "stop"} working immediately.`} Its memories and to-dos are deleted; its workspace stays on disk. This cannot be undone.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run(name))) navigate(urlWith({ tab: "" }, "/agents"));
  };
}
