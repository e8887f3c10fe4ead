import { spawn } from "node:child_process";

/** Opens an address if there is a desktop. Errors are ignored because the link is printed anyway. */
export function launchBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const hasDesktop = process.platform === "darwin" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!hasDesktop) return;
  const command = process.platform === "darwin" ? "open" : "xdg-open";
  spawn(command, [url], { detached: true, stdio: "ignore" })
    .on("error", () => undefined)
    .unref();
}
