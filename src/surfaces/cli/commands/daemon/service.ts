import type { Command } from "commander";
import { fields } from "../../../../lib/terminal/table.ts";
import type { Service } from "../../../daemon/service.ts";
import { homeHere } from "../../home.ts";
import { destructive } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

export function serviceCommand(shell: Shell): Command {
  const service = shell.group("service", "run the daemon at every login, by systemd or launchd");

  service.leaf("install", "write the service and start it", install);
  destructive(
    service,
    "uninstall",
    "stop the service and remove it",
    () => "Stop the service and remove it?",
    uninstall,
  );
  service.leaf("status", "tell whether the service is installed", status);
  service.leaf("print", "show the service file without writing it", print, "> toolkeep.service");
  return service;
}

async function install(run: Run): Promise<undefined> {
  const { installService } = await import("../../../daemon/service.ts");
  const service = await described(run);
  await installService(service);
  run.print({ path: service.path, installed: true }, `Installed ${service.path} and started it.\n`);
}

async function uninstall(run: Run): Promise<undefined> {
  const { uninstallService } = await import("../../../daemon/service.ts");
  const service = await described(run);
  await uninstallService(service);
  run.print({ path: service.path, installed: false }, `Removed ${service.path}.\n`);
}

async function status(run: Run): Promise<undefined> {
  const { serviceStatus } = await import("../../../daemon/service.ts");
  const found = serviceStatus(await described(run));
  const human = fields([
    ["supervisor", found.supervisor],
    ["file", found.path],
    ["installed", found.installed],
  ]);
  run.print(found, found.installed ? human : `${human}Install it: toolkeep service install\n`);
}

async function print(run: Run): Promise<undefined> {
  const { path, content } = await described(run);
  run.print({ path, content }, content);
}

async function described({ terminal }: Run): Promise<Service> {
  const { describeService, serviceInput } = await import("../../../daemon/service.ts");
  return describeService(serviceInput(await homeHere(terminal)));
}
