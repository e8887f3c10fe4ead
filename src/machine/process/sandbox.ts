import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { findProgram } from "./find-program.ts";
import {
  createProcessGroup,
  limitedCommand,
  removeLeftGroups,
  type SandboxLimits,
} from "./sandbox-limits.ts";
import {
  type Mount,
  mountsOf,
  neededPaths,
  type ShownPath,
  systemMounts,
  type View,
} from "./sandbox-mounts.ts";

/** `off`: never. `auto`: where it is possible. `required`: else the program does not start. */
export type SandboxMode = "off" | "auto" | "required";

export interface SandboxDeps {
  /** Hidden from every confined program. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A program start, as it would be without a sandbox. */
export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  /** Without symbolic links. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Confinement extends Pick<View, "of" | "kept" | "privateHome"> {
  readonly shown: readonly ShownPath[];
  readonly network: boolean;
  readonly limits: SandboxLimits;
}

/** How a program is started so that it is confined; `env` stays as it was. */
export interface ConfinedStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: "/";
  readonly isConfined: true;
  readonly onGone?: () => void;
  /** The part of the confinement that was not possible, for people. */
  readonly unmet?: string;
}

/** Confines programs by bubblewrap, where that works. */
export interface Sandbox {
  /** Whether it works here, or why not, for people. Tried once; where the answer was no, again after some seconds. */
  check(): Promise<Result<void, string>>;
  /** The last answer of `check`; undefined before the first. */
  known(): Result<void, string> | undefined;
  /** Calls the listener whenever `known` says something else. */
  onKnown(listener: () => void): void;
  confine(start: ProgramStart, confinement: Confinement): Promise<Result<ConfinedStart, string>>;
}

interface Bubblewrap {
  readonly program: string;
  /** True if it can limit data written to memory. */
  readonly canSize: boolean;
}

const PROBE_MS = 10_000;
/** A person may install it while the daemon runs. */
const TRY_AGAIN_MS = 5_000;
/** Data written to /tmp and the like takes memory. */
const EMPTY_MB = 512;
const MAX_ENVIRONMENTS = 50;
const MISSING =
  "bubblewrap is not installed (no bwrap on the daemon's PATH): install it, for example with apt-get install bubblewrap";
const NAMESPACES = ["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try"];
const ALWAYS = ["--die-with-parent", "--new-session", ...NAMESPACES, "--cap-drop", "ALL"];

export function createSandbox({ home, env, clock, newId }: SandboxDeps): Sandbox {
  let checking: { readonly at: number; readonly found: Promise<Result<Bubblewrap, string>> } | undefined;
  let known: Result<Bubblewrap, string> | undefined;
  const systems = new BoundedMap<string, Promise<readonly Mount[]>>(MAX_ENVIRONMENTS);
  const isRoot = process.getuid?.() === 0;
  let isSwept = false;
  const listeners: (() => void)[] = [];

  async function find(): Promise<Result<Bubblewrap, string>> {
    const isStale = known?.ok === false && clock() - (checking?.at ?? 0) >= TRY_AGAIN_MS;
    if (checking === undefined || isStale) checking = { at: clock(), found: findBubblewrap(env) };
    const found = await checking.found;
    const isNews = found !== known;
    known = found;
    if (isNews) for (const listener of listeners) listener();
    return found;
  }

  /** Looked up once for programs that start alike: the system's folders stay where they are. */
  function system(start: ProgramStart): Promise<readonly Mount[]> {
    const needed = neededPaths(start.env);
    const key = [start.env.HOME ?? "", ...needed].join("\0");
    const personal = [home, ...(start.env.HOME ? [start.env.HOME] : [])];
    return systems.getOrMake(key, () => systemMounts(needed, personal));
  }

  async function groupFor({ processes }: SandboxLimits) {
    if (processes === null || !isRoot) return undefined;
    if (!isSwept) await removeLeftGroups(clock());
    isSwept = true;
    return await createProcessGroup(newId("group"), processes);
  }

  return {
    async check() {
      const found = await find();
      return found.ok ? ok(undefined) : found;
    },
    known: () => (known?.ok ? ok(undefined) : known),
    onKnown: (listener) => void listeners.push(listener),
    async confine(start, confinement) {
      const found = await find();
      if (!found.ok) return found;
      const { program, canSize } = found.value;
      const view: View = { ...confinement, env: start.env, hidden: await realpath(home) };
      const mounts = await mountsOf(view, view.of === "own" ? await system(start) : []);
      const { limits, network } = confinement;
      const size = canSize ? ["--size", String((limits.fileMb ?? EMPTY_MB) * 1024 ** 2)] : [];
      const group = await groupFor(limits);
      const command = [
        ...(group?.command ?? []),
        program,
        ...ALWAYS,
        ...(network ? [] : ["--unshare-net"]),
        ...mounts.flatMap((mount) => mountArguments(mount, size)),
        ...(mounts.some(({ at }) => at === "/") ? [] : ["--remount-ro", "/"]),
        ...["--chdir", start.cwd, "--"],
        ...limitedCommand(limits, isRoot),
        start.file,
        ...start.args,
      ];
      const isUncounted = isRoot && limits.processes !== null && group === undefined;
      return ok({
        file: command[0]!,
        args: command.slice(1),
        cwd: "/",
        isConfined: true,
        ...(group && { onGone: () => void group.remove() }),
        ...(isUncounted && { unmet: UNCOUNTED }),
      });
    },
  };
}

const UNCOUNTED =
  "the number of its processes cannot be limited: the daemon runs as root, and no control group can be made here";

function mountArguments(mount: Mount, size: readonly string[]): string[] {
  switch (mount.kind) {
    case "read":
      return ["--ro-bind-try", mount.from, mount.at];
    case "write":
      return ["--bind-try", mount.from, mount.at];
    case "link":
      return ["--symlink", mount.to, mount.at];
    case "empty":
      return [...size, "--tmpfs", mount.at];
    case "dev":
      return ["--dev", mount.at, ...size, "--tmpfs", "/dev/shm"];
    case "devices":
      return ["--dev-bind", mount.at, mount.at];
    case "proc":
      return ["--proc", mount.at, ...coveredProc()];
  }
}

/**
 * The paths in /proc by which root could change the machine without any capability, because the kernel only checks the
 * user there.
 */
function coveredProc(): string[] {
  const trigger = "/proc/sysrq-trigger";
  const settings = ["--ro-bind", "/proc/sys", "/proc/sys"];
  return existsSync(trigger) ? [...settings, "--ro-bind", "/dev/null", trigger] : settings;
}

/** Whether bubblewrap is there and may do what it is for: many systems keep user namespaces from it. */
async function findBubblewrap(env: NodeJS.ProcessEnv): Promise<Result<Bubblewrap, string>> {
  if (process.platform !== "linux")
    return err(`programs can only be confined on Linux, by bubblewrap; this is ${process.platform}`);
  const program = await findProgram("bwrap", env.PATH);
  if (program === undefined) return err(MISSING);
  const sized = await tryOut(program, ["--size", "1048576"]);
  if (sized === undefined) return ok({ program, canSize: true });
  const plain = /--size/.test(sized) ? await tryOut(program, []) : sized;
  if (plain === undefined) return ok({ program, canSize: false });
  return err(
    `bubblewrap is installed but does not work here (${plain}): unprivileged user namespaces may be switched off, or a container may forbid them`,
  );
}

/** Undefined if it worked. */
function tryOut(program: string, size: readonly string[]): Promise<string | undefined> {
  const view = ["--ro-bind", "/", "/", ...size, "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"];
  return new Promise((resolve) => {
    execFile(
      program,
      [...ALWAYS, "--unshare-net", ...view, "--", "/bin/sh", "-c", ":"],
      { timeout: PROBE_MS },
      (error, _stdout, stderr) =>
        resolve(error === null ? undefined : stderr.trim().split("\n").at(-1) || error.message),
    );
  });
}
