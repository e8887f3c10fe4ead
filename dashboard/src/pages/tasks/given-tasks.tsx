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
import { isFinished, StatusMark, TASK_STATUSES } from "./status-words.tsx";

/** As many as the API lists, of all or of one agent. */
const NEWEST = 500;

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
    header: "Last word",
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
    header: "Changed",
    width: "7rem",
    wideOnly: true,
    sortBy: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** What sub-agents were asked to do, newest first. */
export function GivenTasks({ selected }: { selected: string | undefined }) {
  const [words] = useUrlState("q");
  const [agent] = useUrlState("agent");
  const [status] = useUrlState("status");
  const tasks = useGet<TaskList>("/tasks", { params: { agent }, keepPrevious: true });
  const agents = useGet<AgentList>("/agents").data?.agents ?? [];
  const workers = agents.filter(({ parent }) => parent !== null);
  return (
    <QueryView query={tasks}>
      {({ tasks: all }) => {
        const wanted = words.toLowerCase();
        const rows = all
          .filter(
            (task) =>
              fits(task, status) && `${task.title} ${task.note} ${task.agent}`.toLowerCase().includes(wanted),
          )
          .toReversed();
        const count = `${rows.length} of ${all.length === NEWEST ? `the newest ${NEWEST}` : all.length}`;
        return (
          <>
            <FilterBar summary={count}>
              <SearchField label="Find a task" />
              <FilterSelect
                name="status"
                label="Status"
                options={[["unfinished", "Not finished"], ...TASK_STATUSES]}
              />
              <FilterSelect name="agent" label="Agent" options={workers.map(({ name }) => [name, name])} />
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
                  <EmptyState title="No task fits" action={<TextLink to="/tasks">Show all</TextLink>} />
                ) : (
                  <NoTasks hasWorkers={workers.length > 0} />
                )
              }
            />
          </>
        );
      }}
    </QueryView>
  );
}

function fits({ status }: TaskView, wanted: string): boolean {
  return wanted === "" || (wanted === "unfinished" ? !isFinished(status) : status === wanted);
}

function NoTasks({ hasWorkers }: { hasWorkers: boolean }) {
  return (
    <EmptyState
      title="No agent was given a task yet"
      action={
        hasWorkers ? (
          <RequireRole role="operator">
            <ButtonLink look="primary" to={urlWith({ new: "yes" })}>
              Give a task
            </ButtonLink>
          </RequireRole>
        ) : (
          <RequireRole role="admin">
            <ButtonLink look="primary" to="/agents?new=yes">
              Make a sub-agent
            </ButtonLink>
          </RequireRole>
        )
      }
    >
      {hasWorkers
        ? "Agents give tasks to their sub-agents, and so can you; the one that has it finds it with list_tasks and says how far it is."
        : "Tasks are for sub-agents: make an agent that works for another one first."}
    </EmptyState>
  );
}
