import { useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { BASE } from "./base.ts";

const CHECK_MS = 1_000;

/**
 * Shown when the session ends while the page is open. Drafts stay in the tab, which reloads by itself once the person signs in
 * from another tab: signing in there ends the old session of this browser.
 */
export function SignedOutPage() {
  useEffect(() => {
    const reloadIfSignedIn = async () => {
      const answer = await fetch(`${BASE}/api/session`).catch(() => undefined);
      if (answer?.ok) window.location.reload();
    };
    // Wait a moment for the cookie of the new session, then check whenever the person returns to this tab.
    const timer = window.setTimeout(reloadIfSignedIn, CHECK_MS);
    const onReturn = () => void (document.hidden || reloadIfSignedIn());
    document.addEventListener("visibilitychange", onReturn);
    window.addEventListener("focus", onReturn);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", onReturn);
      window.removeEventListener("focus", onReturn);
    };
  }, []);
  return (
    <main className="mx-auto flex max-w-md flex-col gap-3 px-4 py-24">
      <h1 className="text-xl font-semibold">You are signed out</h1>
      <p>
        Your session expired or an admin ended it. To sign in again, run this on the machine that runs
        Toolkeep and open the link:
      </p>
      <pre className="rounded-md border border-line bg-surface px-3 py-2 font-mono text-xs">
        toolkeep open
      </pre>
      <p className="text-soft">Your drafts are kept. Sign in from another tab, and this page continues.</p>
      <div>
        <Button look="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    </main>
  );
}
