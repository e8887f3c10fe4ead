import { useMemo } from "react";
import { joinPath } from "../../api/client.ts";
import type { Home, ServerList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole } from "../../app/session.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { AddServer } from "./add-server.tsx";
import { SERVER_COLUMNS, type ServerRow } from "./server-columns.tsx";
import { ServerPanel } from "./server-panel.tsx";
import { displayState, STATES } from "./server-state.tsx";

/** The list of MCP servers, and one of them in the panel. */
export function Page({ params: { name } }: PageProps) {
  const [addMethod, setAddMethod] = useUrlState("add");
  return (
    <PageFrame
      title="Servers"
      actions={
        <RequireRole role="admin">
          <ButtonLink to={urlWith({ add: "import" })}>Import</ButtonLink>
          <ButtonLink to={urlWith({ add: "form" })} look="primary" icon="plus">
            Add server
          </ButtonLink>
        </RequireRole>
      }
      panel={name !== undefined && <ServerPanel key={name} name={name} />}
    >
      <Servers selected={name} />
      {addMethod !== "" && (
        <RequireRole role="admin">
          <AddServer way={addMethod} onClose={() => setAddMethod("")} />
        </RequireRole>
      )}
    </PageFrame>
  );
}

function Servers({ selected }: { selected: string | undefined }) {
  const servers = useGet<ServerList>("/servers");
  const home = useGet<Home>("/home").data;
  const [query] = useUrlState("q");
  const [state] = useUrlState("state");
  const [transport] = useUrlState("transport");
  const rows = useMemo<readonly ServerRow[]>(() => {
    const latencies = new Map(home?.latencies.map((latency) => [latency.server, latency]));
    const text = query.toLowerCase();
    return (servers.data?.servers ?? [])
      .filter(
        (server) =>
          (state === "" || displayState(server) === state) &&
          (transport === "" || server.transport === transport) &&
          (server.name.toLowerCase().includes(text) || (server.lastError ?? "").toLowerCase().includes(text)),
      )
      .map((server) => ({ server, latency: latencies.get(server.name) }));
  }, [servers.data, home, query, state, transport]);
  return (
    <QueryView query={servers}>
      {({ servers: all }) => (
        <>
          <FilterBar summary={`${rows.length} of ${all.length}`}>
            <SearchField label="Find a server" />
            <FilterSelect
              name="state"
              label="State"
              options={Object.entries(STATES).map(([id, { label }]) => [id, label])}
            />
            <FilterSelect
              name="transport"
              label="Transport"
              options={[
                ["stdio", "Program"],
                ["http", "HTTP"],
                ["sse", "HTTP (SSE)"],
              ]}
            />
          </FilterBar>
          <DataTable
            label="Servers"
            rows={rows}
            columns={SERVER_COLUMNS}
            rowKey={({ server }) => server.name}
            rowLink={({ server }) => urlWith({ tab: "" }, joinPath("servers", server.name))}
            selected={selected}
            empty={
              all.length === 0 ? (
                <NoServers />
              ) : (
                <EmptyState title="No matching servers">Change the search or the filters.</EmptyState>
              )
            }
          />
        </>
      )}
    </QueryView>
  );
}

function NoServers() {
  return (
    <EmptyState
      title="No servers yet"
      action={
        <RequireRole role="admin">
          <ButtonLink to={urlWith({ add: "paste" })}>Paste settings</ButtonLink>
          <ButtonLink to={urlWith({ add: "import" })}>Import from clients</ButtonLink>
          <ButtonLink to={urlWith({ add: "form" })} look="primary">
            Add server
          </ButtonLink>
        </RequireRole>
      }
    >
      A server is a program or URL that speaks MCP. Add one, then grant its tools to your agents.
    </EmptyState>
  );
}
