import { ButtonLink } from "../ui/link.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Untrusted } from "../ui/untrusted.tsx";
import { usePath } from "./location.ts";

/** For an address that leads nowhere. */
export function NotFound() {
  const path = usePath();
  return (
    <Page title="No such page">
      <Empty
        title="There is no such page"
        action={
          <ButtonLink look="primary" to="/">
            Go to Home
          </ButtonLink>
        }
      >
        <Untrusted text={path} mono max={200} /> is no address of this dashboard. Ctrl-K finds every page,
        server, tool and agent.
      </Empty>
    </Page>
  );
}
