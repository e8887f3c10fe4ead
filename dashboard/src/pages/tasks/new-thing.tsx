import { type FormEvent, type ReactNode, useId } from "react";
import type { ActionState } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";

interface NewThingProps {
  readonly title: string;
  /** The word on the button that makes it. */
  readonly action: string;
  readonly doing: Pick<ActionState<never, unknown>, "isBusy" | "problem">;
  readonly isReady: boolean;
  readonly onSend: (event: FormEvent) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The window in which a task, a ticket, a project or a note is written. */
export function NewThing({ title, action, doing, isReady, onSend, onClose, children }: NewThingProps) {
  const form = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={doing.isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className="flex flex-col gap-3" onSubmit={onSend}>
        {children}
        <FormProblem problem={doing.problem} />
      </form>
    </Dialog>
  );
}
