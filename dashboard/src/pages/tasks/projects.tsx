import { joinPath } from "../../api/client.ts";
import type { ProjectList, ProjectView } from "../../api/contract.ts";
import { usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { StateMark } from "../../ui/badge.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect } from "../../ui/filter-bar.tsx";
import { ButtonLink } from "../../ui/link.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<ProjectView>[] = [
  {
    id: "name",
    header: "Project",
    width: "minmax(10rem,1.4fr)",
    cell: ({ key, name }) => (
      <span className="flex gap-2">
        <span className="shrink-0 font-mono text-xs leading-5 text-soft">{key}</span>
        <UntrustedText text={name} line />
      </span>
    ),
  },
  {
    id: "about",
    header: "Description",
    width: "minmax(0,2fr)",
    wideOnly: true,
    cell: ({ description }) => (
      <span className="text-soft">
        <UntrustedText text={description} line />
      </span>
    ),
  },
  {
    id: "left",
    header: "To do",
    width: "5rem",
    alignEnd: true,
    showOnPhone: true,
    sortBy: countUnfinished,
    cell: (project) => countUnfinished(project).toLocaleString("en"),
  },
  {
    id: "done",
    header: "Done",
    width: "5rem",
    alignEnd: true,
    sortBy: ({ tickets }) => tickets.done,
    cell: ({ tickets }) => tickets.done.toLocaleString("en"),
  },
  {
    id: "notes",
    header: "Notes",
    width: "5rem",
    alignEnd: true,
    wideOnly: true,
    sortBy: ({ notes }) => notes,
    cell: ({ notes }) => notes.toLocaleString("en"),
  },
  {
    id: "status",
    header: "Status",
    width: "7rem",
    wideOnly: true,
    cell: ({ status }) => <ProjectStatus status={status} />,
  },
];

export function ProjectStatus({ status }: Pick<ProjectView, "status">) {
  return status === "active" ? (
    <StateMark tone="ok">Active</StateMark>
  ) : (
    <StateMark tone="neutral">Archived</StateMark>
  );
}

/** Tickets that are neither done nor cancelled. */
export function countUnfinished({ tickets }: Pick<ProjectView, "tickets">): number {
  return tickets.open + tickets.in_progress + tickets.blocked + tickets.review;
}

export function Projects({ selected }: { selected: string | undefined }) {
  const [status] = useUrlState("status");
  const pages = usePages<ProjectList>("/projects", { status, limit: PAGE_SIZE }, (page, all) =>
    page.projects.length < PAGE_SIZE ? undefined : { offset: all.length * PAGE_SIZE },
  );
  const projects = pages.data?.pages.flatMap((page) => page.projects) ?? [];
  if (pages.error && !pages.data)
    return <ErrorState problem={pages.error} retry={() => void pages.refetch()} />;
  if (!pages.data) return <LoadingState />;
  return (
    <>
      <FilterBar summary={`${projects.length} of ${pages.data.pages[0]?.total ?? 0}`}>
        <FilterSelect
          name="status"
          label="Status"
          options={[
            ["active", "Active"],
            ["archived", "Archived"],
          ]}
        />
      </FilterBar>
      <DataTable
        label="Projects"
        rows={projects}
        columns={COLUMNS}
        rowKey={({ key }) => key}
        rowLink={({ key }) => urlWith({}, joinPath("tasks", "projects", key))}
        selected={selected}
        more={{
          hasMore: pages.hasNextPage,
          isLoading: pages.isFetchingNextPage,
          load: () => void pages.fetchNextPage(),
        }}
        empty={
          <EmptyState
            title={status === "" ? "No projects yet" : "No matching projects"}
            action={
              <RequireRole role="admin">
                <ButtonLink look="primary" to={urlWith({ new: "yes" })}>
                  Create project
                </ButtonLink>
              </RequireRole>
            }
          >
            A project holds work that agents and people share: tickets for the pieces of work, and notes for
            what is worth knowing.
          </EmptyState>
        }
      />
    </>
  );
}
