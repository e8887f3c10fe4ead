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
import { isFinished, StatusMark } from "./status-words.tsx";

/** One task: what was asked, who has it, and what came of it. */
export function TaskPanel({ id }: { id: string }) {
  const answer = useGet<TaskAnswer>(joinPath("tasks", id));
  const task = answer.data?.task;
  return (
    <SidePanel
      title={<UntrustedText text={task?.title ?? "Task"} line />}
      closeTo={urlWith({}, "/tasks")}
      footer={task && !isFinished(task.status) && <Cancel task={task} />}
    >
      <QueryView query={answer}>{({ task: shown }) => <Facts task={shown} />}</QueryView>
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
            ["Given by", assignedBy === null ? "a person" : <AgentLink key="by" name={assignedBy} />],
            ["Given", <Time key="given" at={createdAt} />],
            ["Changed", <Time key="changed" at={updatedAt} />],
            [
              "Its calls",
              <TextLink key="calls" to={`/audit?agent=${encodeURIComponent(agent)}`}>
                in the audit
              </TextLink>,
            ],
          ]}
        />
      </PanelSection>
      {instructions !== "" && (
        <PanelSection title="What it was told">
          <UntrustedText text={instructions} max={4_000} />
        </PanelSection>
      )}
      {note !== "" && (
        <PanelSection title="Its last word">
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

function Cancel({ task: { id, agent } }: { task: TaskView }) {
  const confirm = useConfirm();
  const cancel = useAction({
    run: (client) => client.post<TaskAnswer>(joinPath("tasks", id, "cancel"), {}),
    successMessage: "Cancelled; the agent is told",
    invalidates: ["/tasks"],
  });
  const ask = async () => {
    const isConfirmed = await confirm({
      title: "Cancel this task?",
      description: `${agent} is told the next time it looks at its tasks. What it did so far stays as it is. A cancelled task cannot be taken up again.`,
      action: "Cancel the task",
      danger: true,
    });
    if (isConfirmed) await cancel.run();
  };
  return (
    <RequireRole role="operator">
      <Button look="danger" icon="close" busy={cancel.isBusy} onClick={() => void ask()}>
        Cancel the task …
      </Button>
    </RequireRole>
  );
}
