import { joinPath } from "../../api/client.ts";
import type { AgentList, AgentView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { AgentPanel } from "./agent-panel.tsx";
import { NewAgentPanel } from "./new-agent-panel.tsx";

const NAME: Column<AgentView> = {
  id: "name",
  header: "Name",
  cell: ({ name }) => <UntrustedText text={name} line />,
  sortBy: ({ name }) => name,
  width: "minmax(8rem,1fr)",
};
const TOOLS: Column<AgentView> = {
  id: "tools",
  header: "Tools",
  cell: ({ toolCount }) => toolCount.toLocaleString("en"),
  sortBy: ({ toolCount }) => toolCount,
  width: "5rem",
  alignEnd: true,
  showOnPhone: true,
};
const KIND: Column<AgentView> = { id: "kind", header: "Kind", cell: Kind, width: "10rem" };
const COLUMNS: readonly Column<AgentView>[] = [
  NAME,
  {
    id: "about",
    header: "Description",
    cell: ({ description }) => <UntrustedText text={description} line />,
    width: "minmax(0,2fr)",
  },
  {
    id: "toolboxes",
    header: "Toolboxes",
    cell: ({ toolboxes }) => <UntrustedText text={toolboxes.join(", ")} line />,
    width: "minmax(0,1.2fr)",
  },
  KIND,
  TOOLS,
];
const COLUMNS_BESIDE_PANEL = [NAME, KIND, TOOLS];

function Kind({ parent, context, headless }: AgentView) {
  return (
    <span className="flex gap-1">
      {parent === null ? (
        <span className="text-soft">main</span>
      ) : (
        <UntrustedText text={`${context} of ${parent}`} line />
      )}
      {headless && <Badge tone="warn">headless</Badge>}
    </span>
  );
}

/** The list of agents, and one of them in the panel. */
export function Page({ params: { name } }: PageProps) {
  const agents = useGet<AgentList>("/agents");
  const [query] = useUrlState("q");
  const [isNew] = useUrlState("new");
  const canEdit = useHasRole("admin");
  const panel =
    name !== undefined ? <AgentPanel key={name} name={name} /> : isNew !== "" && canEdit && <NewAgentPanel />;
  const create = canEdit && (
    <ButtonLink look="primary" icon="plus" to={urlWith({ new: "yes" }, "/agents")}>
      Create agent
    </ButtonLink>
  );
  return (
    <PageFrame title="Agents" description="Agents and the tools they can use." actions={create} panel={panel}>
      <QueryView query={agents}>
        {({ agents: all }) => {
          const text = query.toLowerCase();
          const rows = all.filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(text));
          return (
            <>
              <FilterBar summary={`${rows.length} of ${all.length}`}>
                <SearchField label="Find an agent" />
              </FilterBar>
              <DataTable
                label="Agents"
                rows={rows}
                columns={panel ? COLUMNS_BESIDE_PANEL : COLUMNS}
                rowKey={(agent) => agent.name}
                rowLink={(agent) => urlWith({ new: "" }, joinPath("agents", agent.name))}
                selected={name}
                empty={
                  <EmptyState
                    title={all.length === 0 ? "No agents yet" : "No matching agents"}
                    action={create}
                  >
                    Agents call tools. Create one for each client or program, give it the tools it needs, and
                    connect it with a token.
                  </EmptyState>
                }
              />
            </>
          );
        }}
      </QueryView>
    </PageFrame>
  );
}
