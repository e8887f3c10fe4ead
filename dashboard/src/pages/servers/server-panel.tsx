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

/** One server: overview, tools, held changes and log. */
export function ServerPanel({ name }: { name: string }) {
  const answer = useGet<ServerAnswer>(joinPath("servers", name));
  const closeTo = urlWith({ tab: "", doing: "" }, "/servers");
  const onRemove = useConfirmedRemoval(answer.data?.server, closeTo);
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={closeTo}
      actions={answer.data && <Actions server={answer.data.server} onRemove={onRemove} />}
    >
      <QueryView query={answer}>
        {({ server, tools }) => <ServerTabs server={server} tools={tools} onRemove={onRemove} />}
      </QueryView>
    </SidePanel>
  );
}

interface ServerTabsProps {
  readonly server: ServerView;
  readonly tools: readonly string[];
  readonly onRemove: (() => void) | undefined;
}

function ServerTabs({ server, tools, onRemove }: ServerTabsProps) {
  const tab = useTab("tab", ["overview", "tools", "changes", "log"]);
  return (
    <>
      <Tabs
        name="tab"
        label="Server details"
        tabs={[
          { id: "overview", label: "Overview" },
          { id: "tools", label: "Tools", count: tools.length },
          { id: "changes", label: "Changes", count: server.waiting },
          { id: "log", label: "Log" },
        ]}
      />
      {tab === "overview" && <ServerOverview server={server} remove={onRemove} />}
      {tab === "tools" && <ServerTools server={server} names={tools} />}
      {tab === "changes" && <ServerChangesView name={server.name} />}
      {tab === "log" && <ServerLog name={server.name} />}
    </>
  );
}

const INVALIDATES = ["/servers", "/tools", "/home", "/status"];

/** Confirms, removes and returns to the list. Undefined for a server from a settings file: remove it there. */
function useConfirmedRemoval(server: ServerView | undefined, closeTo: string): (() => void) | undefined {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client, name: string) => client.delete<Done>(joinPath("servers", name)),
    successMessage: (_answer, name) => `Removed ${name}`,
    invalidates: INVALIDATES,
  });
  if (server?.source !== "stored") return undefined;
  const { name, toolCount } = server;
  const confirmRemove = async () => {
    const isConfirmed = await confirm({
      title: `Remove ${name}?`,
      description: `Agents lose its ${toolCount} tools. Its settings, the secrets in them and the changes you accepted are deleted; its calls stay in the audit log. This cannot be undone. To keep the server without using it, disable it instead.`,
      action: "Remove",
      danger: true,
    });
    if (isConfirmed && (await remove.run(name))) navigate(closeTo);
  };
  return () => void confirmRemove();
}

function Actions({ server, onRemove }: { server: ServerView; onRemove: (() => void) | undefined }) {
  const { name } = server;
  const [openDialog, setOpenDialog] = useUrlState("doing");
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const post = useAction({
    run: (client, verb: string) => client.post<ServerAnswer>(joinPath("servers", name, verb)),
    successMessage: (_answer, verb) => `${SUCCESS_VERBS[verb] ?? verb} ${name}`,
    invalidates: INVALIDATES,
  });
  const confirmDisable = async () => {
    const isConfirmed = await confirm({
      title: `Disable ${name}?`,
      description: `Agents lose its ${server.toolCount} tools and running calls end. Nothing is deleted: you can enable it again.`,
      action: "Disable",
    });
    if (isConfirmed) await post.run("disable");
  };
  const isStored = server.source === "stored";
  const items: MenuItem[] = isAdmin
    ? [
        ...(isStored
          ? [{ label: "Edit", icon: "settings" as const, onSelect: () => setOpenDialog("edit") }]
          : []),
        server.enabled
          ? { label: "Disable", onSelect: () => void confirmDisable() }
          : { label: "Enable", onSelect: () => void post.run("enable") },
        server.trusted
          ? { label: "Stop trusting", onSelect: () => void post.run("untrust") }
          : { label: "Trust", onSelect: () => void confirmTrust() },
        ...(onRemove ? [{ label: "Remove", icon: "trash" as const, danger: true, onSelect: onRemove }] : []),
      ]
    : [];
  async function confirmTrust() {
    const isConfirmed = await confirm({
      title: `Trust ${name}?`,
      description:
        "Toolkeep then believes what the server says about its tools, even where that makes rules less strict. You no longer review new and changed tools.",
      action: "Trust",
    });
    if (isConfirmed) await post.run("trust");
  }
  return (
    <>
      {server.state !== "pending_approval" && (
        <RequireRole role="operator">
          <Button icon="play" onClick={() => setOpenDialog("test")}>
            Test
          </Button>
        </RequireRole>
      )}
      <Menu label={`More actions for ${name}`} items={items} />
      {openDialog === "test" && <ServerTestDialog name={name} onClose={() => setOpenDialog("")} />}
      {openDialog === "edit" && isAdmin && <EditServer server={server} onClose={() => setOpenDialog("")} />}
    </>
  );
}

const SUCCESS_VERBS: Readonly<Record<string, string>> = {
  enable: "Enabled",
  disable: "Disabled",
  trust: "Now trusting",
  untrust: "Stopped trusting",
};
