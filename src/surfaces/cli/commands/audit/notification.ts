import type { Command } from "commander";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { texts } from "../../../../lib/terminal/table.ts";
import type { Done, NotificationList } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

export function notificationCommand(shell: Shell): Command {
  const notification = shell.group("notification", "Read notifications from agents and Toolkeep");

  notification
    .leaf("list", "List notifications", listNotifications, "--all")
    .option("--all", "Include dismissed ones");
  notification.leaf("dismiss <id>", "Dismiss a notification", dismissNotification, "ntf_…");
  return notification;
}

async function listNotifications(run: Run, options: { all?: boolean }): Promise<undefined> {
  const { notifications } = await run.get<NotificationList>(
    `/api/notifications${query({ dismissed: options.all })}`,
  );
  const entries = notifications.map(({ id, level, agent, createdAt, title, body }) =>
    texts(`${id}  ${oneLine(agent ?? "toolkeep")}, ${level}, ${ago(createdAt, Date.now())}`, [
      [title, body].filter(Boolean).join(": "),
    ]),
  );
  const hint = "\nDismiss one: toolkeep notification dismiss ID\n";
  run.print({ notifications }, entries.length === 0 ? "No notifications.\n" : `${entries.join("\n")}${hint}`);
}

async function dismissNotification(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<Done>("POST", `${path`/api/notifications/${id}`}/dismiss`), `Dismissed ${id}.\n`);
}
