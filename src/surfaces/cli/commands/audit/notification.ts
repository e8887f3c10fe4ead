import type { Command } from "commander";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { texts } from "../../../../lib/terminal/table.ts";
import type { Done, NotificationList } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

export function notificationCommand(shell: Shell): Command {
  const notification = shell.group("notification", "what agents and the hub want people to know");

  notification
    .leaf("list", "list the notifications", listNotifications, "--all")
    .option("--all", "dismissed ones too");
  notification.leaf("dismiss <id>", "put a notification away", dismissNotification, "ntf_…");
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
