import { joinPath } from "../../api/client.ts";
import type { Done, SourceAnswer, SourceView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate } from "../../app/location.ts";
import { RequireRole, useHasRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Json } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { formatDuration, Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { SourceState, useSync } from "./sources.tsx";

const LIST_URL = "/knowledge/sources";

export function SourcePanel({ name }: { name: string }) {
  const answer = useGet<SourceAnswer>(joinPath("sources", name));
  return (
    <SidePanel
      title={<UntrustedText text={name} line />}
      closeTo={LIST_URL}
      actions={answer.data && <SourceMenu source={answer.data.source} />}
    >
      <QueryView query={answer}>{({ source }) => <Facts source={source} />}</QueryView>
    </SidePanel>
  );
}

function Facts({ source }: { source: SourceView }) {
  const { lastSync } = source;
  return (
    <>
      <PanelSection>
        <KeyValues
          pairs={[
            ["State", <SourceState key="state" source={source} />],
            ["Type", source.kind],
            ["Documents", source.entities.toLocaleString("en")],
            [
              "Passages",
              `${source.chunks.toLocaleString("en")}, ${source.embedded.toLocaleString("en")} embedded`,
            ],
            [
              "Visible to",
              source.label === null ? "Everyone who can search" : `Tokens with label:${source.label}`,
            ],
            ["Last sync", <Time key="synced" at={source.lastSyncAt} />],
            [
              "Search",
              <TextLink key="search" to={`/knowledge?source=${encodeURIComponent(source.name)}`}>
                Search this source
              </TextLink>,
            ],
          ]}
        />
      </PanelSection>
      <PanelSection title="Settings">
        <Json value={source.config} label="Settings" />
      </PanelSection>
      {lastSync && (
        <PanelSection title="Last sync">
          {lastSync.error && (
            <p className="mb-2 rounded-md bg-bad-soft px-3 py-2 text-bad">
              <UntrustedText text={lastSync.error} />
            </p>
          )}
          <KeyValues
            pairs={[
              [
                "Files",
                `${lastSync.seen} seen, ${lastSync.added} new, ${lastSync.changed} changed, ${lastSync.gone} removed`,
              ],
              ["Duration", formatDuration(lastSync.durationMs)],
              ["Not read", lastSync.failed > 0 && lastSync.failed],
            ]}
          />
          <ul className="mt-2">
            {lastSync.problems.slice(0, 50).map(({ key, reason }) => (
              <li key={key} className="border-t border-line py-1">
                <UntrustedText text={key} mono max={200} />:{" "}
                <span className="text-soft">
                  <UntrustedText text={reason} max={200} />
                </span>
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
    </>
  );
}

function SourceMenu({ source: { name, enabled, entities } }: { source: SourceView }) {
  const confirm = useConfirm();
  const isAdmin = useHasRole("admin");
  const sync = useSync();
  const change = useAction({
    run: (client, input: { enabled: boolean }) =>
      client.patch<SourceAnswer>(joinPath("sources", name), input),
    successMessage: "Saved",
    invalidates: ["/sources"],
  });
  const remove = useAction({
    run: (client) => client.delete<Done>(joinPath("sources", name)),
    successMessage: `Removed ${name}`,
    invalidates: ["/sources", "/search", "/entities"],
  });
  const confirmRemove = async () => {
    const isConfirmed = await confirm({
      title: `Remove ${name}?`,
      description: `Toolkeep deletes its index of ${entities.toLocaleString("en")} documents, so nobody can find them. The documents themselves stay where they are.`,
      action: "Remove",
      danger: true,
    });
    if (isConfirmed && (await remove.run())) navigate(LIST_URL);
  };
  const confirmDisable = async () => {
    const isConfirmed = await confirm({
      title: `Disable ${name}?`,
      description: `Toolkeep stops reading it, and nobody can find its ${entities.toLocaleString("en")} documents. Nothing is deleted: you can enable it again.`,
      action: "Disable",
    });
    if (isConfirmed) await change.run({ enabled: false });
  };
  return (
    <>
      <RequireRole role="operator">
        <Button icon="refresh" busy={sync.isBusy} onClick={() => void sync.run(name)}>
          Sync
        </Button>
      </RequireRole>
      <Menu
        label={`More actions for ${name}`}
        items={
          isAdmin
            ? [
                {
                  label: enabled ? "Disable" : "Enable",
                  onSelect: () => void (enabled ? confirmDisable() : change.run({ enabled: true })),
                },
                { label: "Remove", icon: "trash", danger: true, onSelect: () => void confirmRemove() },
              ]
            : []
        }
      />
    </>
  );
}
