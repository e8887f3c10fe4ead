import { joinPath } from "../../api/client.ts";
import type { AgentList, ProjectList, TicketList, TicketSummary } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink, TextLink } from "../../ui/link.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { PRIORITIES, StatusMark, TICKET_STATUSES } from "./status-labels.tsx";

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<TicketSummary>[] = [
  {
    id: "title",
    header: "Ticket",
    width: "minmax(10rem,2.6fr)",
    cell: ({ ref, title }) => (
      <span className="flex gap-2">
        <span className="shrink-0 font-mono text-xs leading-5 text-soft">{ref}</span>
        <UntrustedText text={title} line />
      </span>
    ),
  },
  {
    id: "status",
    header: "Status",
    width: "9.5rem",
    showOnPhone: true,
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    id: "priority",
    header: "Priority",
    width: "6rem",
    wideOnly: true,
    cell: ({ priority }) => <Priority priority={priority} />,
  },
  {
    id: "assignee",
    header: "Agent",
    width: "minmax(5rem,0.8fr)",
    cell: ({ assignee }) =>
      assignee === null ? (
        <span className="text-soft">Unassigned</span>
      ) : (
        <UntrustedText text={assignee} line />
      ),
  },
  {
    id: "labels",
    header: "Labels",
    width: "minmax(0,1fr)",
    wideOnly: true,
    cell: ({ labels }) => (
      <span className="text-soft">
        <UntrustedText text={labels.join(", ")} line />
      </span>
    ),
  },
  {
    id: "changed",
    header: "Updated",
    width: "7rem",
    wideOnly: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

export function Priority({ priority }: Pick<TicketSummary, "priority">) {
  const label = PRIORITIES.find(([id]) => id === priority)?.[1] ?? priority;
  if (priority === "normal" || priority === "low") return <span className="text-soft">{label}</span>;
  return <Badge tone={priority === "urgent" ? "bad" : "warn"}>{label}</Badge>;
}

/** The tickets of all projects, newest first. */
export function Tickets({ selected }: { selected: string | undefined }) {
  const [text] = useUrlState("q");
  const [project] = useUrlState("project");
  const [status] = useUrlState("status");
  const [assignee] = useUrlState("agent");
  const projects = useGet<ProjectList>("/projects").data?.projects ?? [];
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const isFiltered = text + project + status + assignee !== "";
  const params = { text, project, status, assignee, limit: PAGE_SIZE };
  const pages = usePages<TicketList>("/tickets", params, (page, all) =>
    page.tickets.length < PAGE_SIZE ? undefined : { offset: all.length * PAGE_SIZE },
  );
  const tickets = pages.data?.pages.flatMap((page) => page.tickets) ?? [];
  return (
    <>
      <FilterBar
        {...(pages.data ? { summary: `${tickets.length} of ${pages.data.pages[0]?.total ?? 0}` } : {})}
      >
        <SearchField label="Find a ticket" />
        <FilterSelect
          name="project"
          label="Project"
          options={projects.map(({ key, name }) => [key, `${key}: ${name}`])}
        />
        <FilterSelect
          name="status"
          label="Status"
          options={[["unfinished", "Unfinished"], ...TICKET_STATUSES]}
        />
        <FilterSelect
          name="agent"
          label="Agent"
          options={[["nobody", "Unassigned"], ...agents.map(({ name }) => [name, name] as const)]}
        />
      </FilterBar>
      {pages.error && !pages.data ? (
        <ErrorState problem={pages.error} retry={() => void pages.refetch()} />
      ) : !pages.data ? (
        <LoadingState />
      ) : (
        <DataTable
          label="Tickets"
          rows={tickets}
          columns={COLUMNS}
          rowKey={({ ref }) => ref}
          rowLink={({ ref }) => urlWith({}, joinPath("tasks", "tickets", ref))}
          selected={selected}
          more={{
            hasMore: pages.hasNextPage,
            isLoading: pages.isFetchingNextPage,
            load: () => void pages.fetchNextPage(),
          }}
          empty={<NoTickets isFiltered={isFiltered} hasProjects={projects.length > 0} />}
        />
      )}
    </>
  );
}

function NoTickets({ isFiltered, hasProjects }: { isFiltered: boolean; hasProjects: boolean }) {
  if (isFiltered)
    return (
      <EmptyState
        title="No matching tickets"
        action={<TextLink to="/tasks/tickets">Clear filters</TextLink>}
      />
    );
  return (
    <EmptyState
      title={hasProjects ? "No tickets yet" : "No projects yet"}
      action={
        hasProjects ? (
          <RequireRole role="operator">
            <ButtonLink look="primary" to={urlWith({ new: "yes" })}>
              Create ticket
            </ButtonLink>
          </RequireRole>
        ) : (
          <RequireRole role="admin">
            <ButtonLink look="primary" to="/tasks/projects?new=yes">
              Create project
            </ButtonLink>
          </RequireRole>
        )
      }
    >
      {hasProjects
        ? "A ticket is one piece of work in a project. You can create tickets, and so can agents with the code toolbox."
        : "Tickets belong to a project that agents and people share. Create a project first."}
    </EmptyState>
  );
}
