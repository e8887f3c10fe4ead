import { Button } from "../ui/button.tsx";

/** The session ended while the page was open. What was typed stays in the tab. */
export function SignedOut() {
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
      <p className="text-soft">Signed in again in another tab? Then load this one anew; drafts are kept.</p>
      <div>
        <Button look="primary" onClick={() => window.location.reload()}>
          Load anew
        </Button>
      </div>
    </main>
  );
}
