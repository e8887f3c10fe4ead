import { execFile } from "node:child_process";

/** The keyring of the user's desktop. If it is missing, locked or slow, nothing is read or written. */
export interface Keyring {
  read(id: string): Promise<string | undefined>;
  /** False: it could not be written. */
  write(id: string, text: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}

/** A keyring may ask a person to unlock it, and on a machine without a screen nobody answers. */
const TIMEOUT_MS = 5_000;
const SERVICE = "toolkeep";

/** Uses `secret-tool` on Linux and `security` on macOS, from the `PATH`. Other systems have none. */
export function systemKeyring(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Keyring {
  const run = (program: string, args: readonly string[], input?: string) => ask(program, args, env, input);
  const ofLinux = (id: string) => ["service", SERVICE, "account", id];
  const ofMac = (id: string) => ["-s", SERVICE, "-a", id];
  if (platform === "darwin") {
    return {
      read: async (id) => (await run("security", ["find-generic-password", ...ofMac(id), "-w"]))?.trim(),
      // On standard input, because other users can see the arguments of a program.
      write: async (id, text) =>
        (await run("security", ["-i"], `add-generic-password -U ${ofMac(id).join(" ")} -w ${text}\n`)) !==
        undefined,
      remove: async (id) => void (await run("security", ["delete-generic-password", ...ofMac(id)])),
    };
  }
  const has = platform === "linux";
  return {
    read: async (id) => (has ? (await run("secret-tool", ["lookup", ...ofLinux(id)]))?.trim() : undefined),
    write: async (id, text) =>
      has && (await run("secret-tool", ["store", "--label=Toolkeep", ...ofLinux(id)], text)) !== undefined,
    remove: async (id) => void (has && (await run("secret-tool", ["clear", ...ofLinux(id)]))),
  };
}

/** Undefined: it failed, for whatever reason. */
function ask(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = "",
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env, timeout: TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: 64 * 1024 } as const;
    const child = execFile(program, args, options, (error, stdout) => resolve(error ? undefined : stdout));
    // If the program ends without reading its input, its exit code decides.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
