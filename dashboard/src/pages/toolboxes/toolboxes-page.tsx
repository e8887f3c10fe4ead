import { joinPath } from "../../api/client.ts";
import type { ToolboxList, ToolboxView } from "../../api/contract.ts";
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
import { NewToolboxPanel } from "./new-toolbox-panel.tsx";
import { ToolboxPanel } from "./toolbox-panel.tsx";

const NAME: Column<ToolboxView> = {
  id: "name",
  header: "Name",
  cell: ({ name }) => <UntrustedText text={name} line />,
  sortBy: ({ name }) => name,
  width: "minmax(8rem,1fr)",
};
const AGENTS: Column<ToolboxView> = {
  id: "agents",
  header: "Agents",
  cell: ({ agents }) => agents.length,
  sortBy: ({ agents }) => agents.length,
  width: "5rem",
  alignEnd: true,
  showOnPhone: true,
};
const ENTRIES: Column<ToolboxView> = {
  id: "entries",
  header: "Entries",
  cell: ({ tools }) => (tools.includes("*") ? "all" : tools.length),
  sortBy: ({ tools }) => tools.length,
  width: "5rem",
  alignEnd: true,
};
const NOTES: Column<ToolboxView> = { id: "notes", header: "", cell: Notes, width: "9rem" };
const COLUMNS: readonly Column<ToolboxView>[] = [
  NAME,
  {
    id: "about",
    header: "Description",
    cell: ({ description }) => <UntrustedText text={description} line />,
    width: "minmax(0,2.5fr)",
  },
  ENTRIES,
  AGENTS,
  NOTES,
];
const COLUMNS_BESIDE_PANEL = [NAME, ENTRIES, AGENTS, NOTES];

function Notes({ builtin, unknown }: ToolboxView) {
  if (unknown.length > 0) return <Badge tone="warn">{unknown.length} unknown</Badge>;
  return builtin && <Badge>built-in</Badge>;
}

/** The list of toolboxes, and one of them in the panel. */
export function Page({ params: { name } }: PageProps) {
  const toolboxes = useGet<ToolboxList>("/toolboxes");
  const [query] = useUrlState("q");
  const [isNew] = useUrlState("new");
  const canEdit = useHasRole("admin");
  const panel =
    name !== undefined ? (
      <ToolboxPanel key={name} name={name} />
    ) : (
      isNew !== "" && canEdit && <NewToolboxPanel />
    );
  return (
    <PageFrame
      title="Toolboxes"
      description="Named sets of tools that you assign to agents."
      actions={
        canEdit && (
          <ButtonLink look="primary" icon="plus" to={urlWith({ new: "yes" }, "/toolboxes")}>
            Create toolbox
          </ButtonLink>
        )
      }
      panel={panel}
    >
      <QueryView query={toolboxes}>
        {({ toolboxes: all }) => {
          const text = query.toLowerCase();
          const rows = all.filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(text));
          return (
            <>
              <FilterBar summary={`${rows.length} of ${all.length}`}>
                <SearchField label="Find a toolbox" />
              </FilterBar>
              <DataTable
                label="Toolboxes"
                rows={rows}
                columns={panel ? COLUMNS_BESIDE_PANEL : COLUMNS}
                rowKey={(toolbox) => toolbox.name}
                rowLink={(toolbox) => urlWith({ new: "" }, joinPath("toolboxes", toolbox.name))}
                selected={name}
                empty={
                  <EmptyState title="No matching toolboxes">
                    Change the search, or create a toolbox.
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
