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

/** OAuth sign-in to a server in another tab. When the browser cannot reach the callback, the person pastes its URL. */
export function SignIn({ server }: { server: ServerView }) {
  const path = joinPath("servers", server.name, "auth");
  const invalidates = ["/servers", "/home", "/tools"];
  const status = useGet<ServerSignInAnswer>(path, { refetchEveryMs: 5_000 }).data?.signIn;
  const [link, setLink] = useState<string | null>(null);
  const [callbackUrl, setCallbackUrl] = useState("");
  const confirm = useConfirm();
  const startSignIn = useAction({ run: (client) => client.post<SignInStart>(path), invalidates });
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
  const openSignIn = async () => {
    const started = await startSignIn.run();
    if (!started) return;
    setLink(started.url);
    if (started.url) window.open(started.url, "_blank", "noopener");
  };
  const confirmSignOut = async () => {
    const isConfirmed = await confirm({
      title: `Sign out of ${server.name}?`,
      description:
        "Toolkeep revokes and deletes the tokens of this server. Its tools stop working until you sign in again.",
      action: "Sign out",
      danger: true,
    });
    if (isConfirmed) await signOut.run();
  };
  // Most servers need no sign-in, and those that do may only say so when contacted.
  if (server.state !== "needs_auth" && !server.oauth && !status?.signedIn) return null;
  return (
    <PanelSection title="Sign-in">
      <div className="flex flex-col gap-3">
        <KeyValues
          pairs={[
            ["Signed in", status?.signedIn ? <Time key="at" at={status.signedInAt} /> : "No"],
            ["Issuer", status?.issuer && <UntrustedText text={status.issuer} mono />],
            ["Scope", status?.scope && <UntrustedText text={status.scope} mono />],
            ["Last error", status?.failure && <UntrustedText text={status.failure} />],
          ]}
        />
        <RequireRole role="admin">
          <div className="flex flex-wrap gap-2">
            <Button
              look={status?.signedIn ? "plain" : "primary"}
              icon="out"
              busy={startSignIn.isBusy}
              onClick={() => void openSignIn()}
            >
              {status?.signedIn ? "Sign in again" : "Sign in"}
            </Button>
            {status?.signedIn && <Button onClick={() => void confirmSignOut()}>Sign out</Button>}
          </div>
          {link && (
            <div className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
              <p>
                The sign-in page opened in a new tab.{" "}
                <a href={link} target="_blank" rel="noreferrer noopener" className="text-accent underline">
                  Open it again
                </a>
              </p>
              <Field
                label="Did the tab end on an error page?"
                hint="Paste its URL here. This happens when your browser and Toolkeep run on different machines."
              >
                {(inputProps) => (
                  <TextInput
                    {...inputProps}
                    mono
                    value={callbackUrl}
                    onChange={(event) => setCallbackUrl(event.target.value)}
                  />
                )}
              </Field>
              <div>
                <Button
                  disabled={callbackUrl.trim() === ""}
                  busy={complete.isBusy}
                  onClick={async () => {
                    if (await complete.run(callbackUrl.trim())) setLink(null);
                  }}
                >
                  Complete sign-in
                </Button>
              </div>
            </div>
          )}
        </RequireRole>
      </div>
    </PanelSection>
  );
}
