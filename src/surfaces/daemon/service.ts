import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import { ownBin } from "../../machine/process/own-package.ts";

/** The daemon as a service of this user's supervisor: systemd on Linux, launchd on macOS. */
export interface Service {
  readonly supervisor: "systemd" | "launchd";
  readonly path: string;
  readonly content: string;
  /** Commands in order: `start` after the file is written, `stop` before it is removed. */
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

export interface ServiceInput {
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly toolkeepHome: string;
  /** The program and its first arguments, without `serve`. */
  readonly program: readonly string[];
}

export interface ServiceStatus {
  readonly supervisor: Service["supervisor"];
  readonly path: string;
  readonly installed: boolean;
}

/** Throws SERVICE_UNSUPPORTED on systems with neither supervisor. */
export function describeService(input: ServiceInput): Service {
  if (input.platform === "linux") return describeSystemdUnit(input);
  if (input.platform === "darwin") return describeLaunchdAgent(input);
  throw new ToolkeepError(
    "SERVICE_UNSUPPORTED",
    `services are written for systemd and launchd; this system is ${input.platform}`,
  );
}

/** Describes this program, on this machine, for this user. */
export function getServiceInput(toolkeepHome: string): ServiceInput {
  const bin = ownBin();
  return { platform: process.platform, userHome: homedir(), toolkeepHome, program: [process.execPath, bin] };
}

export async function installService(service: Service): Promise<void> {
  await mkdir(dirname(service.path), { recursive: true });
  await writeFile(service.path, service.content, { mode: 0o644 });
  for (const command of service.start) runSupervisor(command);
}

/** Also resolves if the service was not installed. */
export async function uninstallService(service: Service): Promise<void> {
  if (!existsSync(service.path)) return;
  for (const command of service.stop) runSupervisor(command);
  await rm(service.path, { force: true });
}

export function getServiceStatus({ supervisor, path }: Service): ServiceStatus {
  return { supervisor, path, installed: existsSync(path) };
}

function describeSystemdUnit({ userHome, toolkeepHome, program }: ServiceInput): Service {
  const command = [...program, "serve"].map(quoteForSystemd).join(" ");
  return {
    supervisor: "systemd",
    path: join(userHome, ".config", "systemd", "user", "toolkeep.service"),
    content: `[Unit]
Description=Toolkeep, the tool layer between agents and everything they can call
After=network.target

[Service]
ExecStart=${command}
Environment=${quoteForSystemd(`TOOLKEEP_HOME=${toolkeepHome}`)}
Restart=on-failure
RestartSec=2
TimeoutStopSec=20

[Install]
WantedBy=default.target
`,
    start: [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", "toolkeep.service"],
    ],
    stop: [["systemctl", "--user", "disable", "--now", "toolkeep.service"]],
  };
}

function describeLaunchdAgent({ userHome, toolkeepHome, program }: ServiceInput): Service {
  const path = join(userHome, "Library", "LaunchAgents", "dev.toolkeep.daemon.plist");
  const args = [...program, "serve", "--quiet"]
    .map((arg) => `    <string>${escapeXml(arg)}</string>`)
    .join("\n");
  return {
    supervisor: "launchd",
    path,
    content: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>dev.toolkeep.daemon</string>
  <key>ProgramArguments</key>
  <array>
${args}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>TOOLKEEP_HOME</key>
    <string>${escapeXml(toolkeepHome)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  <string>${escapeXml(join(toolkeepHome, "daemon.err"))}</string>
</dict>
</plist>
`,
    start: [["launchctl", "load", "-w", path]],
    stop: [["launchctl", "unload", "-w", path]],
  };
}

/** systemd reads `%` as a specifier and `$` as a variable. */
function quoteForSystemd(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function runSupervisor([command, ...args]: readonly string[]): void {
  const result = spawnSync(command!, args, { encoding: "utf8", timeout: 30_000 });
  if (result.status === 0) return;
  const reason = (result.error?.message ?? result.stderr.trim()) || `exit code ${result.status}`;
  throw new ToolkeepError("SERVICE_UNSUPPORTED", `${[command, ...args].join(" ")} failed: ${reason}`);
}
