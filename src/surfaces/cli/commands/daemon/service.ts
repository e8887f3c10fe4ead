import type { Command } from "commander";
import { fields } from "../../../../lib/terminal/table.ts";
import type { Service } from "../../../daemon/service.ts";
import { findHome } from "../../home.ts";
import { destructive } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

export function serviceCommand(shell: Shell): Command {
  const service = shell.group("service", "Run the daemon at every login with systemd or launchd");

  service.leaf("install", "Install and start the service", install);
  destructive(
    service,
    "uninstall",
    "Stop and remove the service",
    () => "Stop and remove the service?",
    uninstall,
  );
  service.leaf("status", "Show whether the service is installed", status);
  service.leaf("print", "Print the service file without installing it", print, "> toolkeep.service");
  return service;
}

async function install(run: Run): Promise<undefined> {
  const { installService } = await import("../../../daemon/service.ts");
  const service = await loadService(run);
  await installService(service);
  run.print({ path: service.path, installed: true }, `Installed ${service.path} and started it.\n`);
}

async function uninstall(run: Run): Promise<undefined> {
  const { uninstallService } = await import("../../../daemon/service.ts");
  const service = await loadService(run);
  await uninstallService(service);
  run.print({ path: service.path, installed: false }, `Removed ${service.path}.\n`);
}

async function status(run: Run): Promise<undefined> {
  const { getServiceStatus: serviceStatus } = await import("../../../daemon/service.ts");
  const service = serviceStatus(await loadService(run));
  const human = fields([
    ["supervisor", service.supervisor],
    ["file", service.path],
    ["installed", service.installed],
  ]);
  run.print(service, service.installed ? human : `${human}Install it: toolkeep service install\n`);
}

async function print(run: Run): Promise<undefined> {
  const { path, content } = await loadService(run);
  run.print({ path, content }, content);
}

async function loadService({ terminal }: Run): Promise<Service> {
  const { describeService, getServiceInput: serviceInput } = await import("../../../daemon/service.ts");
  return describeService(serviceInput(await findHome(terminal)));
}
