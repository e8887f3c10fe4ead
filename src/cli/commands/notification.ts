import { Command } from "commander";
import type { Done, NotificationList } from "../../api/contract.ts";
import { path, query } from "../api-client.ts";
import { ago } from "../duration.ts";
import { leaf, type Run, type Shell } from "../shell.ts";
import { table } from "../table.ts";

export function notificationCommand(shell: Shell): Command {
  const notification = new Command("notification").description("what agents and the hub want people to know");

  leaf(notification, "list", "list the notifications", "notification list --all")
    .option("--all", "dismissed ones too")
    .action(shell.action(listNotifications));
  leaf(notification, "dismiss <id>", "put a notification away", "notification dismiss ntf_…").action(
    shell.action(dismissNotification),
  );
  return notification;
}

async function listNotifications(run: Run, options: { all?: boolean }): Promise<undefined> {
  const { notifications } = await run.get<NotificationList>(
    `/api/notifications${query({ dismissed: options.all })}`,
  );
  const rows = notifications.map((notification) => [
    notification.id,
    notification.level,
    notification.agent ?? "-",
    ago(notification.createdAt, Date.now()),
    [notification.title, notification.body].filter(Boolean).join(": "),
  ]);
  run.print(
    { notifications },
    rows.length === 0
      ? "No notifications.\n"
      : table(["ID", "LEVEL", "AGENT", "WHEN", "TEXT"], rows, run.terminal.columns),
  );
}

async function dismissNotification(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<Done>("POST", `${path`/api/notifications/${id}`}/dismiss`), `Dismissed ${id}.\n`);
}
