import { Command } from "commander";
import type { Done, NotificationList } from "../../../api/contract.ts";
import { oneLine } from "../../../daemon/log/printable.ts";
import { path, query } from "../../client/api-client.ts";
import { ago } from "../../print/duration.ts";
import { texts } from "../../print/table.ts";
import { leaf, type Run, type Shell } from "../../shell.ts";

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
  const shown = notifications.map(({ id, level, agent, createdAt, title, body }) =>
    texts(`${id}  ${oneLine(agent ?? "toolkeep")}, ${level}, ${ago(createdAt, Date.now())}`, [
      [title, body].filter(Boolean).join(": "),
    ]),
  );
  const hint = "\nPut one away: toolkeep notification dismiss ID\n";
  run.print({ notifications }, shown.length === 0 ? "No notifications.\n" : `${shown.join("\n")}${hint}`);
}

async function dismissNotification(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<Done>("POST", `${path`/api/notifications/${id}`}/dismiss`), `Dismissed ${id}.\n`);
}
