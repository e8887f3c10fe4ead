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
import { counted } from "../access/tool-words.tsx";
import { AccessTab } from "./access-tab.tsx";
import { EffectiveTab } from "./effective-tab.tsx";
import { TokensTab } from "./tokens-tab.tsx";

/** One agent: what it has, what it is given, and its tokens. */
export function AgentPanel({ name }: { name: string }) {
  const answer = useGet<AgentAnswer>(joinPath("agents", name));
  const tokens = useGet<TokenList>("/tokens").data?.tokens.filter(({ agent }) => agent === name) ?? [];
  const tab = useTab("tab", ["tools", "access", "tokens"]);
  const mayChange = useHasRole("admin");
  const remove = useRemoval(name, tokens.length);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={urlWith({ tab: "" }, "/agents")}
      actions={
        mayChange && (
          <Menu
            label="More to do with the agent"
            items={[{ label: "Delete", icon: "trash", danger: true, onSelect: () => void remove() }]}
          />
        )
      }
    >
      <Tabs
        name="tab"
        label="Parts of the agent"
        tabs={[
          { id: "tools", label: "What it has" },
          { id: "access", label: "What it is given" },
          { id: "tokens", label: "Tokens", count: tokens.length },
        ]}
      />
      <QueryView query={answer}>
        {({ agent }) => (
          <>
            <About agent={agent} />
            {tab === "tools" && <EffectiveTab name={agent.name} />}
            {tab === "access" && <AccessTab key={agent.name} agent={agent} mayChange={mayChange} />}
            {tab === "tokens" && <TokensTab agent={agent.name} tokens={tokens} mayChange={mayChange} />}
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}

function About({ agent: { description, parent, context } }: { agent: AgentView }) {
  if (description === "" && parent === null) return null;
  return (
    <p className="px-4 pt-3 text-soft">
      {parent !== null && <UntrustedText text={`A ${context} of ${parent}. `} />}
      <UntrustedText text={description} />
    </p>
  );
}

function useRemoval(name: string, tokens: number): () => Promise<void> {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client, _: string) => client.delete(joinPath("agents", name)),
    successMessage: "Deleted",
    invalidates: ["/agents", "/tokens", "/toolboxes"],
  });
  return async () => {
    const isConfirmed = await confirm({
      title: `Delete the agent ${name}?`,
      description: `${tokens === 0 ? "It has no token." : `${counted(tokens, "token")} of it ${tokens === 1 ? "ends" : "end"} at once, and clients that use ${tokens === 1 ? "it" : "them"} are refused.`} Its memories and to-dos go with it; its workspace stays on disk. It cannot be undone.`,
      action: "Delete",
      danger: true,
    });
    if (isConfirmed && (await remove.run(name))) navigate(urlWith({ tab: "" }, "/agents"));
  };
}
