import { Suspense, useEffect, useRef } from "react";
import type { SessionAnswer } from "../api/contract.ts";
import { useGet } from "../api/use-api.ts";
import { ConfirmProvider } from "../ui/confirm.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { Broken } from "./broken.tsx";
import { DesktopNotices } from "./desktop-notices.tsx";
import { LiveProvider } from "./live-context.tsx";
import { usePath } from "./location.ts";
import { NotFound } from "./not-found.tsx";
import { matchRoute } from "./routes.ts";
import { SessionContext } from "./session.tsx";
import { Shell } from "./shell.tsx";

/** Everything, for whoever is signed in. */
export function App() {
  const session = useGet<SessionAnswer>("/session");
  if (session.data === undefined)
    return session.error ? (
      <Failed problem={session.error} retry={() => void session.refetch()} />
    ) : (
      <Loading label="Loading Toolkeep" />
    );
  return (
    <SessionContext value={session.data}>
      <LiveProvider>
        <ConfirmProvider>
          <Shell>
            <CurrentPage />
            <DesktopNotices />
          </Shell>
        </ConfirmProvider>
      </LiveProvider>
    </SessionContext>
  );
}

function CurrentPage() {
  const match = matchRoute(usePath());
  const before = useRef(match?.path);
  useEffect(() => {
    if (before.current === match?.path) return;
    before.current = match?.path;
    const page = document.querySelector<HTMLElement>("#page");
    if (!page?.contains(document.activeElement)) page?.focus({ preventScroll: true });
  }, [match?.path]);
  if (!match) return <NotFound />;
  const { page: Found, params, path } = match;
  return (
    <Broken key={path}>
      <Suspense fallback={<Loading />}>
        <Found params={params} />
      </Suspense>
    </Broken>
  );
}
