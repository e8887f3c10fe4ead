import { ButtonLink } from "../ui/link.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { UntrustedText } from "../ui/untrusted-text.tsx";
import { usePath } from "./location.ts";

/** Shown for an unknown path. */
export function NotFound() {
  const path = usePath();
  return (
    <Page title="Page not found">
      <EmptyState
        title="This page does not exist"
        action={
          <ButtonLink look="primary" to="/">
            Go to Home
          </ButtonLink>
        }
      >
        Nothing is at <UntrustedText text={path} mono max={200} />. Press Ctrl-K to find a page, server, tool
        or agent.
      </EmptyState>
    </Page>
  );
}
