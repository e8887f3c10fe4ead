import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface Confirmation {
  /** A question: "Remove the server github?" */
  readonly title: string;
  /** What will happen then, and whether it can be undone. */
  readonly what: ReactNode;
  /** The word on the button that does it: "Remove". */
  readonly action: string;
  readonly danger?: boolean;
}

const ConfirmContext = createContext<((asked: Confirmation) => Promise<boolean>) | null>(null);

/** `const confirm = useConfirm(); if (await confirm({…})) …` */
export function useConfirm(): (asked: Confirmation) => Promise<boolean> {
  return useContext(ConfirmContext)!;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<(Confirmation & { answer(yes: boolean): void }) | null>(null);
  const confirm = useCallback(
    (confirmation: Confirmation) =>
      new Promise<boolean>((resolve) => setAsked({ ...confirmation, answer: resolve })),
    [],
  );
  const answer = (yes: boolean) => {
    asked?.answer(yes);
    setAsked(null);
  };
  return (
    <ConfirmContext value={confirm}>
      {children}
      {asked && (
        <Dialog
          title={asked.title}
          onClose={() => answer(false)}
          footer={
            <>
              <Button data-autofocus={asked.danger ? "" : undefined} onClick={() => answer(false)}>
                Cancel
              </Button>
              <Button
                look={asked.danger ? "danger" : "primary"}
                data-autofocus={asked.danger ? undefined : ""}
                onClick={() => answer(true)}
              >
                {asked.action}
              </Button>
            </>
          }
        >
          <div className="wrap-anywhere">{asked.what}</div>
        </Dialog>
      )}
    </ConfirmContext>
  );
}
