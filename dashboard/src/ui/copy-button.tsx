import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toast.tsx";

const SHOWN_MS = 1_500;

/** `text` goes to the clipboard. With `children` a button with words, else a small picture. */
export function CopyButton({
  text,
  label = "Copy",
  children,
}: {
  text: string;
  label?: string;
  children?: string;
}) {
  const [done, setDone] = useState(false);
  const toast = useToast();
  const copy = async () => {
    try {
      await toClipboard(text);
    } catch {
      toast.complain({
        message: "The browser does not let this page use the clipboard",
        remedy: "Select the text and copy it; the clipboard is only there for https and this machine.",
      });
      return;
    }
    setDone(true);
    window.setTimeout(() => setDone(false), SHOWN_MS);
  };
  if (children === undefined)
    return <IconButton icon={done ? "check" : "copy"} label={done ? "Copied" : label} onClick={copy} />;
  return (
    <Button icon={done ? "check" : "copy"} onClick={copy}>
      {done ? "Copied" : children}
    </Button>
  );
}

/** Pages of plain http from another machine have no `navigator.clipboard`; the old way is still there for them. */
async function toClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const place = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr-only";
  field.ariaHidden = "true";
  // Inside an open window, since nothing else can be selected then.
  (place?.closest("dialog") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (place instanceof HTMLElement) place.focus();
  if (!done) throw new Error("the browser copied nothing");
}
