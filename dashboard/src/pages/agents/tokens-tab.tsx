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
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { TokenShown } from "./token-shown.tsx";

/** What lets clients in as this agent. Values are shown once, when they are made, and kept nowhere. */
export function TokensTab({
  agent,
  tokens,
  mayChange,
}: {
  agent: string;
  tokens: readonly TokenView[];
  mayChange: boolean;
}) {
  const [doing, setDoing] = useUrlState("doing");
  // Here and nowhere else: not in the address, not in the storage of the browser, gone with a reload.
  const [made, setMade] = useState<TokenAnswer | null>(null);
  return (
    <>
      <PanelSection
        title="Tokens"
        actions={
          mayChange && (
            <Button icon="plus" onClick={() => setDoing("token")}>
              New token
            </Button>
          )
        }
      >
        {tokens.length === 0 ? (
          <p className="text-soft">
            It has none, so no client can act as it yet. A token is shown once, with what to write into the
            settings of each client.
          </p>
        ) : (
          <ul className="divide-y divide-line rounded-md border border-line">
            {tokens.map((token) => (
              <li key={token.id}>
                <TokenLine token={token} mayChange={mayChange} />
              </li>
            ))}
          </ul>
        )}
      </PanelSection>
      {doing === "token" && mayChange && (
        <NewTokenDialog
          agent={agent}
          onClose={() => setDoing("")}
          onMade={(answer) => {
            setDoing("");
            setMade(answer);
          }}
        />
      )}
      {made && <TokenShown made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function TokenLine({ token, mayChange }: { token: TokenView; mayChange: boolean }) {
  const confirm = useConfirm();
  const revoke = useAction({
    run: (client, id: string) => client.delete(joinPath("tokens", id)),
    successMessage: "Revoked",
    invalidates: ["/tokens"],
  });
  const name = token.client?.name ?? (token.label || "without a label");
  const ask = async () => {
    const isConfirmed = await confirm({
      title: "Revoke this token?",
      description: `Whoever uses ${name} (…${token.hint}) is refused from the next request on. It cannot be undone; make a new one instead.`,
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
          {token.client && <Badge>by a person's consent</Badge>}
          {token.interactive && <Badge tone="accent">its person may approve</Badge>}
          {token.scopes && (
            <Badge title={token.scopes.join(", ")}>
              {token.scopes.length === 1 ? "1 scope" : `${token.scopes.length} scopes`}
            </Badge>
          )}
        </p>
        <p className="text-xs text-soft">
          used <Time at={token.lastUsedAt} /> · made <Time at={token.createdAt} />
          {token.expiresAt !== null && (
            <>
              {" "}
              · expires <Time at={token.expiresAt} />
            </>
          )}
          {token.requestsPerMinute !== null && ` · ${token.requestsPerMinute} requests a minute`}
        </p>
      </div>
      {mayChange && <IconButton icon="trash" label={`Revoke ${name}`} onClick={() => void ask()} />}
    </div>
  );
}
