import { useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { BASE } from "./base.ts";

const LOOK_MS = 1_000;

/**
 * The session ended while the page was open. What was typed stays in the tab, which goes on by itself once somebody has
 * signed in in another: signing in ends the session that a browser had.
 */
export function SignedOut() {
  useEffect(() => {
    const look = async () => {
      const answer = await fetch(`${BASE}/api/session`).catch(() => undefined);
      if (answer?.ok) window.location.reload();
    };
    // In a moment, when the cookie of the new session is there; then whenever somebody comes back to this tab.
    const timer = window.setTimeout(look, LOOK_MS);
    const back = () => void (document.hidden || look());
    document.addEventListener("visibilitychange", back);
    window.addEventListener("focus", back);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener("visibilitychange", back);
      window.removeEventListener("focus", back);
    };
  }, []);
  return (
    <main className="mx-auto flex max-w-md flex-col gap-3 px-4 py-24">
      <h1 className="text-xl font-semibold">You are signed out</h1>
      <p>
        Sessions end after a while, and whenever an admin ends them. For a new one, run this on the machine
        where Toolkeep runs and follow the link:
      </p>
      <pre className="rounded-md border border-line bg-surface px-3 py-2 font-mono text-xs">
        toolkeep open
      </pre>
      <p className="text-soft">Sign in in another tab, and this one goes on where it was; drafts are kept.</p>
      <div>
        <Button look="primary" onClick={() => window.location.reload()}>
          Load anew
        </Button>
      </div>
    </main>
  );
}
