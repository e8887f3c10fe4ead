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
import { SOURCE_LABELS } from "./source-labels.ts";

/** The list of secrets: who can use them and where, never their values. */
export function Page({ params: { name } }: PageProps) {
  const secrets = useGet<SecretList>("/secrets");
  const [query] = useUrlState("q");
  const [openDialog, setOpenDialog] = useUrlState("add");
  const selected = secrets.data?.secrets.find((secret) => secret.name === name);
  return (
    <PageFrame
      title="Vault"
      description="Secrets for tools and servers. Values are encrypted and never shown again."
      actions={
        <RequireRole role="admin">
          <RotateMenu />
          <Button look="primary" icon="plus" onClick={() => setOpenDialog("secret")}>
            Add secret
          </Button>
        </RequireRole>
      }
      panel={selected && <SecretPanel key={selected.name} secret={selected} />}
    >
      <SecretRequests />
      <QueryView query={secrets}>
        {({ secrets: all }) => {
          const rows = all.filter((secret) => secret.name.toLowerCase().includes(query.toLowerCase()));
          return (
            <>
              <FilterBar summary={`${rows.length} of ${all.length}`}>
                <SearchField label="Find a secret" />
              </FilterBar>
              {name !== undefined && !selected && (
                <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
                  The secret <UntrustedText text={name} mono /> was not found. It may have been deleted.
                </p>
              )}
              <DataTable
                label="Secrets"
                rows={rows}
                columns={selected ? COLUMNS_BESIDE_PANEL : COLUMNS}
                rowKey={(secret) => secret.name}
                rowLink={(secret) => urlWith({}, joinPath("vault", secret.name))}
                selected={name}
                empty={
                  all.length > 0 ? (
                    <EmptyState title="No matching secrets">Change the search.</EmptyState>
                  ) : (
                    <EmptyState title="The vault is empty">
                      Add a secret, then use it by name in call arguments and server settings, as{" "}
                      <code className="font-mono text-xs">{"{{secret:NAME}}"}</code>. Only the tool receives
                      the value.
                    </EmptyState>
                  )
                }
              />
            </>
          );
        }}
      </QueryView>
      {openDialog !== "" && (
        <RequireRole role="admin">
          <SecretDialog onClose={() => setOpenDialog("")} />
        </RequireRole>
      )}
    </PageFrame>
  );
}

/** Agents that are waiting for a secret. */
function SecretRequests() {
  const pending = useGet<QuestionList>("/questions", { params: { state: "pending" } }).data?.questions ?? [];
  const requests = pending.filter(({ kind }) => kind === "secret");
  if (requests.length === 0) return null;
  return (
    <ul aria-label="Agents waiting for a secret" className="border-b border-line bg-warn-soft">
      {requests.map(({ id, agent, details }) => (
        <li key={id} className="flex flex-wrap items-center gap-2 px-4 py-2">
          <span className="min-w-0 flex-1">
            <UntrustedText text={agent} /> needs the secret <UntrustedText text={String(details.name)} mono />
          </span>
          <ButtonLink to={joinPath("approvals", id)}>Review</ButtonLink>
        </li>
      ))}
    </ul>
  );
}

function RotateMenu() {
  const confirm = useConfirm();
  const rotate = useAction({
    run: (client) => client.post<KeyRotated>("/vault/rotate-key"),
    successMessage: ({ resealed }) => `Encrypted ${resealed} values with the new key`,
    invalidates: ["/secrets"],
  });
  const confirmRotate = async () => {
    const isConfirmed = await confirm({
      title: "Rotate the vault key?",
      description:
        "Toolkeep encrypts all secrets, server sign-ins and the audit key with a new key. Older backups still need the old key. Nothing is interrupted.",
      action: "Rotate key",
      danger: true,
    });
    if (isConfirmed) await rotate.run();
  };
  return (
    <Menu
      label="More vault actions"
      items={[{ label: "Rotate key…", onSelect: () => void confirmRotate() }]}
    />
  );
}

function renderPatterns(all: readonly string[], none: string) {
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
    cell: ({ source }) => <Badge>{SOURCE_LABELS[source].label}</Badge>,
  },
  {
    id: "tools",
    header: "Tools",
    width: "minmax(0,1fr)",
    cell: ({ tools }) => renderPatterns(tools, "None"),
  },
  {
    id: "hosts",
    header: "Hosts",
    width: "minmax(0,1fr)",
    cell: ({ hosts }) => renderPatterns(hosts, "None"),
  },
  {
    id: "agents",
    header: "Agents",
    width: "minmax(0,0.8fr)",
    cell: ({ agents }) => (agents === null ? "All" : renderPatterns(agents, "None")),
  },
  {
    id: "used",
    header: "Also used by",
    width: "minmax(0,1fr)",
    cell: ({ usedBy }) => renderPatterns(usedBy, "–"),
  },
  {
    id: "updated",
    header: "Updated",
    width: "7rem",
    showOnPhone: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

const COLUMNS_BESIDE_PANEL = COLUMNS.filter(
  ({ id, showOnPhone }) => id === "name" || id === "source" || showOnPhone,
);
