import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { TokenAnswer, TokenList, TokenView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PageBody } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CreatedTokenDialog } from "../agents/created-token-dialog.tsx";
import { LastUsed } from "../agents/tokens-tab.tsx";
import { NewAdminToken } from "./new-admin-token.tsx";
import { ROLES } from "./role-labels.ts";

/** Tokens for programs that use the API or the command line and are not agents. */
export function AdminTokens() {
  const tokens = useGet<TokenList>("/tokens");
  const [openDialog, setOpenDialog] = useUrlState("add");
  // The secret lives only here: not in the URL, not in browser storage, and gone after a reload.
  const [created, setCreated] = useState<TokenAnswer | null>(null);
  return (
    <PageBody>
      <div className="flex max-w-4xl flex-col gap-4">
        <div className="flex flex-wrap gap-x-4">
          <p className="text-soft">For the command line and programs that use the API.</p>
          <TextLink to="/agents">Agent tokens are on each agent's page</TextLink>
        </div>
        <QueryView query={tokens} rows={3}>
          {({ tokens: all }) => {
            const admin = all.filter(({ kind }) => kind === "admin");
            if (admin.length === 0)
              return (
                <EmptyState title="No admin tokens yet">
                  Create one for a program that uses the API. The command line on this machine needs none.
                </EmptyState>
              );
            return (
              <ul aria-label="Admin tokens" className="divide-y divide-line rounded-md border border-line">
                {admin.map((token) => (
                  <TokenRow key={token.id} token={token} />
                ))}
              </ul>
            );
          }}
        </QueryView>
      </div>
      {openDialog === "token" && (
        <RequireRole role="admin">
          <NewAdminToken
            onClose={() => setOpenDialog("")}
            onCreate={(answer) => {
              setOpenDialog("");
              setCreated(answer);
            }}
          />
        </RequireRole>
      )}
      {created && <CreatedTokenDialog created={created} onClose={() => setCreated(null)} />}
    </PageBody>
  );
}

function TokenRow({ token }: { token: TokenView }) {
  const { id, label, hint, role, createdAt, lastUsedAt, expiresAt } = token;
  const confirm = useConfirm();
  const revoke = useAction({
    run: (client) => client.delete(joinPath("tokens", id)),
    successMessage: "Revoked",
    invalidates: ["/tokens"],
  });
  const name = label || "Unlabeled token";
  const confirmRevoke = async () => {
    const isConfirmed = await confirm({
      title: "Revoke this token?",
      description: `Programs that use ${name} (…${hint}) are refused from their next request. This cannot be undone.`,
      action: "Revoke",
      danger: true,
    });
    if (isConfirmed) await revoke.run();
  };
  return (
    <li className="flex items-center gap-2 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">
            <UntrustedText text={name} />
          </span>
          <span className="font-mono text-xs text-soft">…{hint}</span>
          {role !== null && <Badge tone={role === "admin" ? "warn" : "neutral"}>{ROLES[role].label}</Badge>}
        </p>
        {role !== null && <p>{ROLES[role].description}</p>}
        <p className="text-xs text-soft">
          <LastUsed at={lastUsedAt} /> · created <Time at={createdAt} /> ·{" "}
          {expiresAt === null ? (
            "does not expire"
          ) : (
            <>
              expires <Time at={expiresAt} />
            </>
          )}
        </p>
      </div>
      <RequireRole role="admin">
        <Button
          look="danger"
          icon="trash"
          busy={revoke.isBusy}
          aria-label={`Revoke ${name}`}
          onClick={() => void confirmRevoke()}
        >
          Revoke
        </Button>
      </RequireRole>
    </li>
  );
}
