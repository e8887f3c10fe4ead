import { joinPath } from "../../api/client.ts";
import type { Done, ServerAnswer, ServerView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole, useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { EditServer } from "./edit-server.tsx";
import { ServerChangesView } from "./server-changes.tsx";
import { ServerLog } from "./server-log.tsx";
import { ServerOverview } from "./server-overview.tsx";
import { ServerTestDialog } from "./server-test.tsx";
import { ServerTools } from "./server-tools.tsx";

/** One server: what it is, its tools, what it publishes that nobody accepted, what it wrote. */
export function ServerPanel({ name }: { name: string }) {
  const answer = useGet<ServerAnswer>(joinPath("servers", name));
  const back = urlWith({ tab: "", doing: "" }, "/servers");
  const removeIt = useRemoval(answer.data?.server, back);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={back}
      actions={answer.data && <Actions server={answer.data.server} removeIt={removeIt} />}
    >
      <QueryView query={answer}>
        {({ server, tools }) => <Parts server={server} tools={tools} removeIt={removeIt} />}
      </QueryView>
    </SidePanel>
  );
}

interface PartsProps {
  readonly server: ServerView;
  readonly tools: readonly string[];
  readonly removeIt: (() => void) | undefined;
}

function Parts({ server, tools, removeIt }: PartsProps) {
  const tab = useTab("tab", ["overview", "tools", "changes", "log"]);
  return (
    <>
      <Tabs
        name="tab"
        label="About this server"
        tabs={[
          { id: "overview", label: "Overview" },
          { id: "tools", label: "Tools", count: tools.length },
          { id: "changes", label: "Held back", count: server.waiting },
          { id: "log", label: "Log" },
        ]}
      />
      {tab === "overview" && <ServerOverview server={server} remove={removeIt} />}
      {tab === "tools" && <ServerTools server={server} names={tools} />}
      {tab === "changes" && <ServerChangesView name={server.name} />}
      {tab === "log" && <ServerLog name={server.name} />}
    </>
  );
}

const CHANGES = ["/servers", "/tools", "/home", "/status"];

/** Asks, removes and goes back to the list. What a file says is removed there. */
function useRemoval(server: ServerView | undefined, back: string): (() => void) | undefined {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client, name: string) => client.delete<Done>(joinPath("servers", name)),
    successMessage: (_answer, name) => `${name} was removed`,
    invalidates: CHANGES,
  });
  if (server?.source !== "stored") return undefined;
  const { name, toolCount } = server;
  const ask = async () => {
    const yes = await confirm({
      title: `Remove ${name}?`,
      description: `Its ${toolCount} tools disappear for every agent, and what was stored for it is forgotten: settings, secrets in them, what you accepted. Its calls stay in the audit. This cannot be undone; to keep it without using it, disable it.`,
      action: "Remove",
      danger: true,
    });
    if (yes && (await remove.run(name))) navigate(back);
  };
  return () => void ask();
}

function Actions({ server, removeIt }: { server: ServerView; removeIt: (() => void) | undefined }) {
  const { name } = server;
  const [doing, setDoing] = useUrlState("doing");
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const post = useAction({
    run: (client, verb: string) => client.post<ServerAnswer>(joinPath("servers", name, verb)),
    successMessage: (_answer, verb) => `${name}: ${DONE[verb] ?? verb}`,
    invalidates: CHANGES,
  });
  const disableIt = async () => {
    const yes = await confirm({
      title: `Disable ${name}?`,
      description: `Its ${server.toolCount} tools disappear for every agent, and calls under way end. Nothing is forgotten: enable it to have it back.`,
      action: "Disable",
    });
    if (yes) await post.run("disable");
  };
  const isStored = server.source === "stored";
  const items: MenuItem[] = isAdmin
    ? [
        ...(isStored ? [{ label: "Edit", icon: "settings" as const, onSelect: () => setDoing("edit") }] : []),
        server.enabled
          ? { label: "Disable", onSelect: () => void disableIt() }
          : { label: "Enable", onSelect: () => void post.run("enable") },
        server.trusted
          ? { label: "Trust it no longer", onSelect: () => void post.run("untrust") }
          : { label: "Trust what it says", onSelect: () => void trustIt() },
        ...(removeIt ? [{ label: "Remove", icon: "trash" as const, danger: true, onSelect: removeIt }] : []),
      ]
    : [];
  async function trustIt() {
    const yes = await confirm({
      title: `Trust what ${name} says of its tools?`,
      description:
        "Then its own word counts for what its tools can do, also where that makes rules milder, and new and changed tools no longer wait for you.",
      action: "Trust it",
    });
    if (yes) await post.run("trust");
  }
  return (
    <>
      {server.state !== "pending_approval" && (
        <RequireRole role="operator">
          <Button icon="play" onClick={() => setDoing("test")}>
            Test
          </Button>
        </RequireRole>
      )}
      <Menu label={`More about ${name}`} items={items} />
      {doing === "test" && <ServerTestDialog name={name} onClose={() => setDoing("")} />}
      {doing === "edit" && isAdmin && <EditServer server={server} onClose={() => setDoing("")} />}
    </>
  );
}

const DONE: Readonly<Record<string, string>> = {
  enable: "takes part again",
  disable: "is kept out",
  trust: "is trusted",
  untrust: "is no longer trusted",
};
