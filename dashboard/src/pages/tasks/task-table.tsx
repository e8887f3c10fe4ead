import { joinPath } from "../../api/client.ts";
import type { AgentList, TaskList, TaskView } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink, TextLink } from "../../ui/link.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { isFinished, StatusMark, TASK_STATUSES } from "./status-labels.tsx";

/** The API lists at most this many tasks, of all agents or of one. */
const MAX_LISTED = 500;

const COLUMNS: readonly Column<TaskView>[] = [
  {
    id: "title",
    header: "Task",
    width: "minmax(10rem,2.4fr)",
    cell: ({ title }) => <UntrustedText text={title} line />,
  },
  {
    id: "status",
    header: "Status",
    width: "9rem",
    showOnPhone: true,
    sortBy: ({ status }) => status,
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    id: "agent",
    header: "Agent",
    width: "minmax(5rem,0.8fr)",
    sortBy: ({ agent }) => agent,
    cell: ({ agent }) => <UntrustedText text={agent} line />,
  },
  {
    id: "note",
    header: "Latest note",
    width: "minmax(0,2fr)",
    wideOnly: true,
    cell: ({ note }) => (
      <span className="text-soft">
        <UntrustedText text={note} line />
      </span>
    ),
  },
  {
    id: "changed",
    header: "Updated",
    width: "7rem",
    wideOnly: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** The tasks of sub-agents, newest first. */
export function TaskTable({ selected }: { selected: string | undefined }) {
  const [query] = useUrlState("q");
  const [agent] = useUrlState("agent");
  const [status] = useUrlState("status");
  const tasks = useGet<TaskList>("/tasks", { params: { agent }, keepPrevious: true });
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const subAgents = agents.filter(({ parent }) => parent !== null);
  return (
    <QueryView query={tasks}>
      {({ tasks: all }) => {
        const text = query.toLowerCase();
        const rows = all
          .filter(
            (task) =>
              matchesStatus(task, status) &&
              `${task.title} ${task.note} ${task.agent}`.toLowerCase().includes(text),
          )
          .toReversed();
        const count = `${rows.length} of ${all.length === MAX_LISTED ? `the latest ${MAX_LISTED}` : all.length}`;
        return (
          <>
            <FilterBar summary={count}>
              <SearchField label="Find a task" />
              <FilterSelect
                name="status"
                label="Status"
                options={[["unfinished", "Unfinished"], ...TASK_STATUSES]}
              />
              <FilterSelect name="agent" label="Agent" options={subAgents.map(({ name }) => [name, name])} />
            </FilterBar>
            <DataTable
              label="Tasks"
              rows={rows}
              columns={COLUMNS}
              rowKey={({ id }) => id}
              rowLink={({ id }) => urlWith({}, joinPath("tasks", "given", id))}
              selected={selected}
              empty={
                all.length > 0 ? (
                  <EmptyState
                    title="No matching tasks"
                    action={<TextLink to="/tasks">Clear filters</TextLink>}
                  />
                ) : (
                  <NoTasks hasSubAgents={subAgents.length > 0} />
                )
              }
            />
          </>
        );
      }}
    </QueryView>
  );
}

function matchesStatus({ status }: TaskView, filter: string): boolean {
  return filter === "" || (filter === "unfinished" ? !isFinished(status) : status === filter);
}

function NoTasks({ hasSubAgents }: { hasSubAgents: boolean }) {
  return (
    <EmptyState
      title="No tasks yet"
      action={
        hasSubAgents ? (
          <RequireRole role="operator">
            <ButtonLink look="primary" to={urlWith({ new: "yes" })}>
              Create task
            </ButtonLink>
          </RequireRole>
        ) : (
          <RequireRole role="admin">
            <ButtonLink look="primary" to="/agents?new=yes">
              Create sub-agent
            </ButtonLink>
          </RequireRole>
        )
      }
    >
      {hasSubAgents
        ? "Agents assign tasks to their sub-agents, and so can you. A sub-agent finds its tasks with list_tasks and reports its progress."
        : "Tasks are for sub-agents. Create an agent with a parent agent first."}
    </EmptyState>
  );
}
