import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ServerSignIn, ServerSignInAnswer, ServerView, SignInStart } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Field, TextInput } from "../../ui/form.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

/** Signing in to a server with OAuth, in another tab; where the browser cannot come back by itself, by its last address. */
export function SignIn({ server }: { server: ServerView }) {
  const path = joinPath("servers", server.name, "auth");
  const invalidates = ["/servers", "/home", "/tools"];
  const status = useGet<ServerSignInAnswer>(path, { refetchEveryMs: 5_000 }).data?.signIn;
  const [link, setLink] = useState<string | null>(null);
  const [pasted, setPasted] = useState("");
  const confirm = useConfirm();
  const begin = useAction({ run: (client) => client.post<SignInStart>(path), invalidates });
  const complete = useAction({
    run: (client, url: string) => client.post<ServerSignInAnswer>(`${path}/complete`, { url }),
    successMessage: `Signed in to ${server.name}`,
    invalidates,
  });
  const signOut = useAction({
    run: (client) => client.delete<ServerSignIn>(path),
    successMessage: `Signed out of ${server.name}`,
    invalidates,
  });
  const start = async () => {
    const begun = await begin.run();
    if (!begun) return;
    setLink(begun.url);
    if (begun.url) window.open(begun.url, "_blank", "noopener");
  };
  const leave = async () => {
    const yes = await confirm({
      title: `Sign out of ${server.name}?`,
      description:
        "What signing in left behind is forgotten and revoked. Its tools stop working until somebody signs in again.",
      action: "Sign out",
      danger: true,
    });
    if (yes) await signOut.run();
  };
  // Most servers want nobody to sign in; one that does may say so only when it is asked.
  if (server.state !== "needs_auth" && !server.oauth && !status?.signedIn) return null;
  return (
    <PanelSection title="Signing in">
      <div className="flex flex-col gap-3">
        <KeyValues
          pairs={[
            ["Signed in", status?.signedIn ? <Time key="at" at={status.signedInAt} /> : "no"],
            ["At", status?.issuer && <UntrustedText text={status.issuer} mono />],
            ["May", status?.scope && <UntrustedText text={status.scope} mono />],
            ["Last failure", status?.failure && <UntrustedText text={status.failure} />],
          ]}
        />
        <RequireRole role="admin">
          <div className="flex flex-wrap gap-2">
            <Button
              look={status?.signedIn ? "plain" : "primary"}
              icon="out"
              busy={begin.isBusy}
              onClick={() => void start()}
            >
              {status?.signedIn ? "Sign in again" : "Sign in"}
            </Button>
            {status?.signedIn && <Button onClick={() => void leave()}>Sign out</Button>}
          </div>
          {link && (
            <div className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
              <p>
                A tab of the server was opened.{" "}
                <a href={link} target="_blank" rel="noreferrer noopener" className="text-accent underline">
                  Open it again
                </a>
              </p>
              <Field
                label="The tab ended at a page that cannot be reached?"
                hint="Paste its address here. That is so where your browser runs on another machine than Toolkeep."
              >
                {(inputProps) => (
                  <TextInput
                    {...inputProps}
                    mono
                    value={pasted}
                    onChange={(event) => setPasted(event.target.value)}
                  />
                )}
              </Field>
              <div>
                <Button
                  disabled={pasted.trim() === ""}
                  busy={complete.isBusy}
                  onClick={async () => {
                    if (await complete.run(pasted.trim())) setLink(null);
                  }}
                >
                  Complete
                </Button>
              </div>
            </div>
          )}
        </RequireRole>
      </div>
    </PanelSection>
  );
}
