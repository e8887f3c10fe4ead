import { Suspense, useEffect, useRef } from "react";
import type { SessionAnswer } from "../api/contract.ts";
import { useGet } from "../api/use-api.ts";
import { ConfirmProvider } from "../ui/confirm.tsx";
import { ErrorState, LoadingState } from "../ui/states.tsx";
import { DesktopNotifications } from "./desktop-notifications.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { LiveProvider } from "./live-context.tsx";
import { usePath } from "./location.ts";
import { NotFound } from "./not-found.tsx";
import { matchRoute } from "./routes.ts";
import { SessionContext } from "./session.tsx";
import { Shell } from "./shell.tsx";

/** The dashboard for the person who is signed in. */
export function App() {
  const session = useGet<SessionAnswer>("/session");
  if (session.data === undefined)
    return session.error ? (
      <ErrorState problem={session.error} retry={() => void session.refetch()} />
    ) : (
      <LoadingState label="Loading Toolkeep" />
    );
  return (
    <SessionContext value={session.data}>
      <LiveProvider>
        <ConfirmProvider>
          <Shell>
            <CurrentPage />
            <DesktopNotifications />
          </Shell>
        </ConfirmProvider>
      </LiveProvider>
    </SessionContext>
  );
}

function CurrentPage() {
  const match = matchRoute(usePath());
  const previousPath = useRef(match?.path);
  useEffect(() => {
    if (previousPath.current === match?.path) return;
    previousPath.current = match?.path;
    const page = document.querySelector<HTMLElement>("#page");
    if (!page?.contains(document.activeElement)) page?.focus({ preventScroll: true });
  }, [match?.path]);
  if (!match) return <NotFound />;
  const { page: MatchedPage, params, path } = match;
  return (
    <ErrorBoundary key={path}>
      <Suspense fallback={<LoadingState />}>
        <MatchedPage params={params} />
      </Suspense>
    </ErrorBoundary>
  );
}
