import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { TokenAnswer, TokenView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { useUrlState } from "../../app/location.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { CreatedTokenDialog } from "./created-token-dialog.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";

/** The tokens of an agent. A value is shown once, when it is created, and never stored. */
export function TokensTab({
  agent,
  tokens,
  canEdit,
}: {
  agent: string;
  tokens: readonly TokenView[];
  canEdit: boolean;
}) {
  const [openDialog, setOpenDialog] = useUrlState("doing");
  // The secret lives only here: not in the URL, not in browser storage, and gone after a reload.
  const [created, setCreated] = useState<TokenAnswer | null>(null);
  return (
    <>
      <PanelSection
        title="Tokens"
        actions={
          canEdit && (
            <Button icon="plus" onClick={() => setOpenDialog("token")}>
              Create token
            </Button>
          )
        }
      >
        {tokens.length === 0 ? (
          <p className="text-soft">
            No tokens yet. Create one to connect a client; you see it once, with a snippet for each client.
          </p>
        ) : (
          <ul className="divide-y divide-line rounded-md border border-line">
            {tokens.map((token) => (
              <li key={token.id}>
                <TokenRow token={token} canEdit={canEdit} />
              </li>
            ))}
          </ul>
        )}
      </PanelSection>
      {openDialog === "token" && canEdit && (
        <NewTokenDialog
          agent={agent}
          onClose={() => setOpenDialog("")}
          onCreate={(answer) => {
            setOpenDialog("");
            setCreated(answer);
          }}
        />
      )}
      {created && <CreatedTokenDialog created={created} onClose={() => setCreated(null)} />}
    </>
  );
}

/** "Used 5 min. ago" or "Never used". */
export function LastUsed({ at }: { at: number | null }) {
  if (at === null) return "Never used";
  return (
    <>
      Used <Time at={at} />
    </>
  );
}

function TokenRow({ token, canEdit }: { token: TokenView; canEdit: boolean }) {
  const confirm = useConfirm();
  const revoke = useAction({
    run: (client, id: string) => client.delete(joinPath("tokens", id)),
    successMessage: "Revoked",
    invalidates: ["/tokens"],
  });
  const name = token.client?.name ?? (token.label || "Unlabeled token");
  const confirmRevoke = async () => {
    const isConfirmed = await confirm({
      title: "Revoke this token?",
      description: `Clients that use ${name} (…${token.hint}) are refused from their next request. This cannot be undone.`,
      action: "Revoke",
      danger: true,
    });
    if (isConfirmed) await revoke.run(token.id);
  };
  return (
    <div className="flex items-center gap-2 py-1.5 pr-1 pl-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">
            <UntrustedText text={name} />
          </span>
          <span className="font-mono text-xs text-soft">…{token.hint}</span>
          {token.client && <Badge title="Created when a person gave consent">consent</Badge>}
          {token.interactive && <Badge tone="accent">can approve</Badge>}
          {token.scopes && (
            <Badge title={token.scopes.join(", ")}>
              {token.scopes.length === 1 ? "1 scope" : `${token.scopes.length} scopes`}
            </Badge>
          )}
        </p>
        <p className="text-xs text-soft">
          <LastUsed at={token.lastUsedAt} /> · created <Time at={token.createdAt} />
          {token.expiresAt !== null && (
            <>
              {" "}
              · expires <Time at={token.expiresAt} />
            </>
          )}
          {token.requestsPerMinute !== null && ` · ${token.requestsPerMinute} requests per minute`}
        </p>
      </div>
      {canEdit && <IconButton icon="trash" label={`Revoke ${name}`} onClick={() => void confirmRevoke()} />}
    </div>
  );
}
