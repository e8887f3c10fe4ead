import { type FormEvent, type ReactNode, useId } from "react";
import type { ActionState } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly state: Pick<ActionState<never, unknown>, "isBusy" | "problem">;
  readonly isReady: boolean;
  readonly onSend: (event: FormEvent) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The dialog that creates a task, a ticket, a project or a note. */
export function FormDialog({ title, action, state, isReady, onSend, onClose, children }: FormDialogProps) {
  const form = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} busy={state.isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} className="flex flex-col gap-3" onSubmit={onSend}>
        {children}
        <FormProblem problem={state.problem} />
      </form>
    </Dialog>
  );
}
