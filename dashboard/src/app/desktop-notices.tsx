import { useState } from "react";
import { pathOf } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toast.tsx";
import { useEvents } from "./live-context.tsx";
import { navigate } from "./location.ts";

const WANTED = "toolkeep.notify";
const MAX_BODY = 200;

function isOn(): boolean {
  return (
    typeof Notification !== "undefined" &&
    Notification.permission === "granted" &&
    localStorage.getItem(WANTED) === "yes"
  );
}

/** Has the browser say when somebody waits for a decision, while this page is out of sight. Shows nothing itself. */
export function DesktopNotices() {
  useEvents((name, payload) => {
    if (name !== "question.asked" || !isOn() || document.hasFocus()) return;
    const { id, prompt, arguments: args } = payload;
    show(String(id), String(prompt), typeof args === "string" ? args.slice(0, MAX_BODY) : "");
  });
  return null;
}

function show(id: string, title: string, body: string): void {
  try {
    // The tag keeps several tabs from saying the same.
    const notice = new Notification(title, { body, tag: id });
    notice.onclick = () => {
      window.focus();
      navigate(pathOf("approvals", id));
      notice.close();
    };
  } catch {
    // Some phones allow none from a page; the list is live all the same.
  }
}

/** Turns them on and off. The browser asks for leave only on a click. */
export function NotifyMe() {
  const [on, setOn] = useState(isOn);
  const toast = useToast();
  if (typeof Notification === "undefined") return null;
  const toggle = async () => {
    if (on) {
      localStorage.setItem(WANTED, "no");
      setOn(false);
      return;
    }
    const leave = await Notification.requestPermission();
    if (leave !== "granted") {
      toast.complain({
        message: "The browser does not let this page notify you",
        remedy: "Allow notifications for this address in the settings of the browser.",
      });
      return;
    }
    localStorage.setItem(WANTED, "yes");
    setOn(true);
    toast.tell("You will be notified while this page is out of sight");
  };
  return (
    <Button icon="bell" aria-pressed={on} onClick={() => void toggle()}>
      {on ? "Notifying you" : "Notify me"}
    </Button>
  );
}
