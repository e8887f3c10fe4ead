import { joinPath } from "../../api/client.ts";
import type { TaskAnswer, TaskView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { isFinished, StatusMark } from "./status-labels.tsx";

/** One task: its instructions, its agent and its latest note. */
export function TaskPanel({ id }: { id: string }) {
  const answer = useGet<TaskAnswer>(joinPath("tasks", id));
  const task = answer.data?.task;
  return (
    <SidePanel
      title={<UntrustedText text={task?.title ?? "Task"} line />}
      closeTo={urlWith({}, "/tasks")}
      footer={task && !isFinished(task.status) && <CancelButton task={task} />}
    >
      <QueryView query={answer}>{({ task: loaded }) => <Facts task={loaded} />}</QueryView>
    </SidePanel>
  );
}

function Facts({ task }: { task: TaskView }) {
  const { title, instructions, status, note, agent, assignedBy, createdAt, updatedAt } = task;
  return (
    <>
      <PanelSection>
        <p className="mb-3 text-base font-medium">
          <UntrustedText text={title} />
        </p>
        <KeyValues
          pairs={[
            ["Status", <StatusMark key="status" status={status} />],
            ["Agent", <AgentLink key="agent" name={agent} />],
            ["Assigned by", assignedBy === null ? "A person" : <AgentLink key="by" name={assignedBy} />],
            ["Created", <Time key="created" at={createdAt} />],
            ["Updated", <Time key="updated" at={updatedAt} />],
            [
              "Calls",
              <TextLink key="calls" to={`/audit?agent=${encodeURIComponent(agent)}`}>
                View in audit log
              </TextLink>,
            ],
          ]}
        />
      </PanelSection>
      {instructions !== "" && (
        <PanelSection title="Instructions">
          <UntrustedText text={instructions} max={4_000} />
        </PanelSection>
      )}
      {note !== "" && (
        <PanelSection title="Latest note">
          <UntrustedText text={note} max={4_000} />
        </PanelSection>
      )}
    </>
  );
}

export function AgentLink({ name }: { name: string }) {
  return (
    <TextLink to={joinPath("agents", name)}>
      <UntrustedText text={name} />
    </TextLink>
  );
}

function CancelButton({ task: { id, agent } }: { task: TaskView }) {
  const confirm = useConfirm();
  const cancel = useAction({
    run: (client) => client.post<TaskAnswer>(joinPath("tasks", id, "cancel"), {}),
    successMessage: "Task cancelled",
    invalidates: ["/tasks"],
  });
  const confirmCancel = async () => {
    const isConfirmed = await confirm({
      title: "Cancel this task?",
      description: `${agent} is told when it next checks its tasks. Its work so far stays. A cancelled task cannot be reopened.`,
      action: "Cancel task",
      danger: true,
    });
    if (isConfirmed) await cancel.run();
  };
  return (
    <RequireRole role="operator">
      <Button look="danger" icon="close" busy={cancel.isBusy} onClick={() => void confirmCancel()}>
        Cancel task…
      </Button>
    </RequireRole>
  );
}
