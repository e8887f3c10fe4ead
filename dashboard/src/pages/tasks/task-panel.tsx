import { pathOf } from "../../api/client.ts";
import type { TaskAnswer, TaskView } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { here } from "../../app/location.ts";
import { For } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { isFinished, StatusMark } from "./status-words.tsx";

/** One task: what was asked, who has it, and what came of it. */
export function TaskPanel({ id }: { id: string }) {
  const answer = useGet<TaskAnswer>(pathOf("tasks", id));
  const task = answer.data?.task;
  return (
    <SidePanel
      title={<Untrusted text={task?.title ?? "Task"} line />}
      back={here({}, "/tasks")}
      footer={task && !isFinished(task.status) && <Cancel task={task} />}
    >
      <Loaded query={answer}>{({ task: shown }) => <Facts task={shown} />}</Loaded>
    </SidePanel>
  );
}

function Facts({ task }: { task: TaskView }) {
  const { title, instructions, status, note, agent, assignedBy, createdAt, updatedAt } = task;
  return (
    <>
      <PanelSection>
        <p className="mb-3 text-base font-medium">
          <Untrusted text={title} />
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
          <Untrusted text={instructions} max={4_000} />
        </PanelSection>
      )}
      {note !== "" && (
        <PanelSection title="Its last word">
          <Untrusted text={note} max={4_000} />
        </PanelSection>
      )}
    </>
  );
}

export function AgentLink({ name }: { name: string }) {
  return (
    <TextLink to={pathOf("agents", name)}>
      <Untrusted text={name} />
    </TextLink>
  );
}

function Cancel({ task: { id, agent } }: { task: TaskView }) {
  const confirm = useConfirm();
  const cancel = useAction({
    run: (client) => client.post<TaskAnswer>(pathOf("tasks", id, "cancel"), {}),
    done: "Cancelled; the agent is told",
    changes: ["/tasks"],
  });
  const ask = async () => {
    const isSure = await confirm({
      title: "Cancel this task?",
      what: `${agent} is told the next time it looks at its tasks. What it did so far stays as it is. A cancelled task cannot be taken up again.`,
      action: "Cancel the task",
      danger: true,
    });
    if (isSure) await cancel.run();
  };
  return (
    <For role="operator">
      <Button look="danger" icon="close" busy={cancel.busy} onClick={() => void ask()}>
        Cancel the task …
      </Button>
    </For>
  );
}
