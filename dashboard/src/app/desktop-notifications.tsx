import { useState } from "react";
import { joinPath } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toast.tsx";
import { useEvents } from "./live-context.tsx";
import { navigate } from "./location.ts";

const STORAGE_KEY = "toolkeep.notify";
const MAX_BODY = 200;

function isEnabled(): boolean {
  return (
    typeof Notification !== "undefined" &&
    Notification.permission === "granted" &&
    localStorage.getItem(STORAGE_KEY) === "yes"
  );
}

/** Shows a browser notification for each new question while the page does not have the focus. Renders nothing. */
export function DesktopNotifications() {
  useEvents((name, payload) => {
    if (name !== "question.asked" || !isEnabled() || document.hasFocus()) return;
    const { id, prompt, arguments: args } = payload;
    showNotification(String(id), String(prompt), typeof args === "string" ? args.slice(0, MAX_BODY) : "");
  });
  return null;
}

function showNotification(id: string, title: string, body: string): void {
  try {
    // With the same tag, several open tabs show one notification.
    const notification = new Notification(title, { body, tag: id });
    notification.onclick = () => {
      window.focus();
      navigate(joinPath("approvals", id));
      notification.close();
    };
  } catch {
    // Some phones do not allow notifications from a page. The list is live anyway.
  }
}

/** Turns desktop notifications on and off. Browsers ask for permission only after a click. */
export function NotifyMeButton() {
  const [isOn, setIsOn] = useState(isEnabled);
  const toast = useToast();
  if (typeof Notification === "undefined") return null;
  const toggle = async () => {
    if (isOn) {
      localStorage.setItem(STORAGE_KEY, "no");
      setIsOn(false);
      return;
    }
    const permission = await Notification.requestPermission();
    if (permission !== "granted") {
      toast.showProblem({
        message: "Your browser blocks notifications from this page",
        remedy: "Allow notifications for this address in your browser settings.",
      });
      return;
    }
    localStorage.setItem(STORAGE_KEY, "yes");
    setIsOn(true);
    toast.show("Your browser will notify you while this page is in the background");
  };
  return (
    <Button icon="bell" onClick={() => void toggle()}>
      {isOn ? "Stop notifying me" : "Notify me"}
    </Button>
  );
}
