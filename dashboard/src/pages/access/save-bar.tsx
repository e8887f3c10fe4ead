import type { ReactNode } from "react";
import type { Problem } from "../../api/problem.ts";
import { Button } from "../../ui/button.tsx";
import { FormProblem } from "../../ui/form.tsx";

/** The footer of an edited form: a preview of the changes, Save and Discard. */
export function SaveBar({
  label,
  busy,
  disabled = false,
  problem,
  onSave,
  onDiscard,
  children,
}: {
  label: string;
  busy: boolean;
  disabled?: boolean;
  problem: Problem | null;
  onSave: () => void;
  onDiscard: () => void;
  children?: ReactNode;
}) {
  return (
    <div className="sticky bottom-0 flex flex-col gap-2 border-t border-line-strong bg-raised px-4 py-3">
      {children}
      <FormProblem problem={problem} />
      {problem?.code === "CHANGED" && (
        <p className="text-soft">
          Somebody else changed this. Discard your changes to see the current version.
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onDiscard}>Discard</Button>
        <Button look="primary" busy={busy} disabled={disabled} onClick={onSave}>
          {label}
        </Button>
      </div>
    </div>
  );
}
