import type { AgentList, Home, ServerList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { PageBody, Page as PageFrame } from "../../ui/page.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Activity } from "./activity.tsx";
import { Attention } from "./attention.tsx";
import { Figures } from "./figures.tsx";
import { GetStarted } from "./get-started.tsx";
import { ServersByState } from "./servers-by-state.tsx";

/** Keeps the current minute moving when there are no events. */
const REFETCH_MS = 15_000;

/** The overview: what needs attention first, then how calls are going. */
export function Page() {
  const home = useGet<Home>("/home", { refetchEveryMs: REFETCH_MS });
  const servers = useGet<ServerList>("/servers");
  const agents = useGet<AgentList>("/agents");
  return (
    <PageFrame title="Home">
      <PageBody>
        <div className="mx-auto flex max-w-5xl flex-col gap-6">
          <QueryView query={servers}>
            {({ servers: all }) => (
              <>
                {agents.data && home.data && (
                  <GetStarted servers={all} agents={agents.data.agents} home={home.data} />
                )}
                {home.data && <Attention servers={all} home={home.data} />}
                <QueryView query={home}>{(figures) => <Figures home={figures} />}</QueryView>
                {agents.data && <Activity agents={agents.data.agents} />}
                <ServersByState servers={all} />
              </>
            )}
          </QueryView>
        </div>
      </PageBody>
    </PageFrame>
  );
}
