import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toast.tsx";

const COPIED_MS = 1_500;

/** Copies `text` to the clipboard. Shows `children` as its label, or only an icon without them. */
export function CopyButton({
  text,
  label = "Copy",
  children,
}: {
  text: string;
  label?: string;
  children?: string;
}) {
  const [isCopied, setIsCopied] = useState(false);
  const toast = useToast();
  const copy = async () => {
    try {
      await writeClipboard(text);
    } catch {
      toast.showProblem({
        message: "Your browser blocked access to the clipboard",
        remedy:
          "Select the text and copy it yourself. Browsers allow the clipboard only over HTTPS or on localhost.",
      });
      return;
    }
    setIsCopied(true);
    window.setTimeout(() => setIsCopied(false), COPIED_MS);
  };
  if (children === undefined)
    return (
      <IconButton icon={isCopied ? "check" : "copy"} label={isCopied ? "Copied" : label} onClick={copy} />
    );
  return (
    <Button icon={isCopied ? "check" : "copy"} onClick={copy}>
      {isCopied ? "Copied" : children}
    </Button>
  );
}

/** `navigator.clipboard` is missing on plain HTTP from another machine; `execCommand` still works there. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const previousFocus = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr-only";
  field.ariaHidden = "true";
  // While a modal dialog is open, only elements inside it can be selected.
  (previousFocus?.closest("dialog") ?? document.body).append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (previousFocus instanceof HTMLElement) previousFocus.focus();
  if (!isDone) throw new Error("execCommand copied nothing");
}
