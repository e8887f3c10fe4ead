import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface Confirmation {
  /** The question: "Remove the server github?" */
  readonly title: string;
  /** Says what will happen, and whether it can be undone. */
  readonly description: ReactNode;
  /** The verb on the confirm button: "Remove". */
  readonly action: string;
  readonly danger?: boolean;
}

const ConfirmContext = createContext<((confirmation: Confirmation) => Promise<boolean>) | null>(null);

/** `const confirm = useConfirm(); if (await confirm({…})) …` */
export function useConfirm(): (confirmation: Confirmation) => Promise<boolean> {
  return useContext(ConfirmContext)!;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<(Confirmation & { answer(isConfirmed: boolean): void }) | null>(
    null,
  );
  const confirm = useCallback(
    (confirmation: Confirmation) =>
      new Promise<boolean>((resolve) => setPending({ ...confirmation, answer: resolve })),
    [],
  );
  const answer = (isConfirmed: boolean) => {
    pending?.answer(isConfirmed);
    setPending(null);
  };
  return (
    <ConfirmContext value={confirm}>
      {children}
      {pending && (
        <Dialog
          title={pending.title}
          onClose={() => answer(false)}
          footer={
            <>
              <Button data-autofocus={pending.danger ? "" : undefined} onClick={() => answer(false)}>
                Cancel
              </Button>
              <Button
                look={pending.danger ? "danger" : "primary"}
                data-autofocus={pending.danger ? undefined : ""}
                onClick={() => answer(true)}
              >
                {pending.action}
              </Button>
            </>
          }
        >
          <div className="wrap-anywhere">{pending.description}</div>
        </Dialog>
      )}
    </ConfirmContext>
  );
}
