import { joinPath } from "../../api/client.ts";
import type { KeyRotated, QuestionList, SecretList, SecretView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { SecretPanel } from "./secret-panel.tsx";
import { SOURCES } from "./source-words.ts";

/** Secrets by name: who may use them and where, never what they are. */
export function Page({ params: { name } }: PageProps) {
  const secrets = useGet<SecretList>("/secrets");
  const [words] = useUrlState("q");
  const [adding, setAdding] = useUrlState("add");
  const shown = secrets.data?.secrets.find((secret) => secret.name === name);
  return (
    <PageFrame
      title="Vault"
      description="Values are encrypted and never shown again."
      actions={
        <RequireRole role="admin">
          <RotateMenu />
          <Button look="primary" icon="plus" onClick={() => setAdding("secret")}>
            Add a secret
          </Button>
        </RequireRole>
      }
      panel={shown && <SecretPanel key={shown.name} secret={shown} />}
    >
      <WaitingPrompts />
      <QueryView query={secrets}>
        {({ secrets: all }) => {
          const rows = all.filter((secret) => secret.name.toLowerCase().includes(words.toLowerCase()));
          return (
            <>
              <FilterBar summary={`${rows.length} of ${all.length}`}>
                <SearchField label="Find a secret" />
              </FilterBar>
              {name !== undefined && !shown && (
                <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
                  There is no secret <UntrustedText text={name} mono />; it may have been deleted.
                </p>
              )}
              <DataTable
                label="Secrets"
                rows={rows}
                columns={shown ? BESIDE_PANEL : COLUMNS}
                rowKey={(secret) => secret.name}
                rowLink={(secret) => urlWith({}, joinPath("vault", secret.name))}
                selected={name}
                empty={
                  all.length > 0 ? (
                    <EmptyState title="No secret fits" />
                  ) : (
                    <EmptyState title="The vault is empty">
                      A secret stands in the arguments of calls and in the settings of servers by its name, as{" "}
                      <code className="font-mono text-xs">{"{{secret:NAME}}"}</code>; only the tool gets the
                      value.
                    </EmptyState>
                  )
                }
              />
            </>
          );
        }}
      </QueryView>
      {adding !== "" && (
        <RequireRole role="admin">
          <SecretDialog onClose={() => setAdding("")} />
        </RequireRole>
      )}
    </PageFrame>
  );
}

/** Agents that wait for a person to give a secret. */
function WaitingPrompts() {
  const waiting = useGet<QuestionList>("/questions", { params: { state: "pending" } }).data?.questions ?? [];
  const prompts = waiting.filter(({ kind }) => kind === "secret");
  if (prompts.length === 0) return null;
  return (
    <ul aria-label="Agents that wait for a secret" className="border-b border-line bg-warn-soft">
      {prompts.map(({ id, agent, details }) => (
        <li key={id} className="flex flex-wrap items-center gap-2 px-4 py-2">
          <span className="min-w-0 flex-1">
            <UntrustedText text={agent} /> waits for the secret{" "}
            <UntrustedText text={String(details.name)} mono />
          </span>
          <ButtonLink to={joinPath("approvals", id)}>Look at it</ButtonLink>
        </li>
      ))}
    </ul>
  );
}

function RotateMenu() {
  const confirm = useConfirm();
  const rotate = useAction({
    run: (client) => client.post<KeyRotated>("/vault/rotate-key"),
    successMessage: ({ resealed }) => `${resealed} values are sealed with the new key`,
    invalidates: ["/secrets"],
  });
  const sure = async () => {
    const isConfirmed = await confirm({
      title: "Seal everything with a new key?",
      description:
        "All secrets, sign-ins of servers and the key of the audit are sealed anew. Backups from before need the old key. Nobody is interrupted.",
      action: "Make a new key",
      danger: true,
    });
    if (isConfirmed) await rotate.run();
  };
  return (
    <Menu
      label="More about the vault"
      items={[{ label: "New key for the vault …", onSelect: () => void sure() }]}
    />
  );
}

function patterns(all: readonly string[], none: string) {
  return all.length === 0 ? (
    <span className="text-soft">{none}</span>
  ) : (
    <UntrustedText text={all.join(", ")} line mono />
  );
}

const COLUMNS: readonly Column<SecretView>[] = [
  {
    id: "name",
    header: "Name",
    width: "minmax(9rem,1.2fr)",
    sortBy: ({ name }) => name,
    cell: ({ name }) => <UntrustedText text={name} line mono />,
  },
  {
    id: "source",
    header: "Value",
    width: "8.5rem",
    cell: ({ source }) => <Badge>{SOURCES[source].label}</Badge>,
  },
  { id: "tools", header: "For tools", width: "minmax(0,1fr)", cell: ({ tools }) => patterns(tools, "none") },
  { id: "hosts", header: "At hosts", width: "minmax(0,1fr)", cell: ({ hosts }) => patterns(hosts, "none") },
  {
    id: "agents",
    header: "Agents",
    width: "minmax(0,0.8fr)",
    cell: ({ agents }) => (agents === null ? "all" : patterns(agents, "none")),
  },
  { id: "used", header: "Also used by", width: "minmax(0,1fr)", cell: ({ usedBy }) => patterns(usedBy, "–") },
  {
    id: "updated",
    header: "Set",
    width: "7rem",
    showOnPhone: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

const BESIDE_PANEL = COLUMNS.filter(({ id, showOnPhone }) => id === "name" || id === "source" || showOnPhone);
