import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Reach } from "../../../lib/net/reach.ts";
import { type FilteringProxy, openFilteringProxy } from "../../../machine/net/filtering-proxy.ts";
import type { Processes } from "../../../machine/process/processes.ts";
import { buildChromiumArguments, PREFERENCES } from "./chromium-arguments.ts";
import { type Devtools, openDevtools } from "./devtools.ts";

export interface ChromiumOptions {
  readonly program: string;
  readonly processes: Processes;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly reach: Reach;
  readonly hasSandbox: boolean;
  readonly width: number;
  readonly height: number;
}

export interface Chromium {
  readonly devtools: Devtools;
  readonly proxy: FilteringProxy;
  /** The end of its standard error. */
  lastErrors(): string;
}

/** Limit for everything that one page loads. */
const MAX_PAGE_BYTES = 100 * 1024 * 1024;
const MAX_ERROR_TEXT = 2_000;
const GRACE_MS = 500;

/**
 * Starts a Chromium for `work` with its own profile and proxy. When the promise settles, its processes have ended and its
 * profile is deleted. Aborting `signal` ends the browser and thus `work`.
 */
export async function withChromium<T>(
  options: ChromiumOptions,
  signal: AbortSignal,
  work: (chromium: Chromium) => Promise<T>,
): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), "toolkeep-chromium-"));
  try {
    await mkdir(join(profile, "Default"));
    await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(PREFERENCES));
    const proxy = await openFilteringProxy({ ...options.reach, maxBytes: MAX_PAGE_BYTES });
    try {
      return await run({ ...options, profile, proxy }, signal, work);
    } finally {
      await proxy.close();
    }
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

async function run<T>(
  options: ChromiumOptions & { readonly profile: string; readonly proxy: FilteringProxy },
  signal: AbortSignal,
  work: (chromium: Chromium) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { program, processes, baseEnv, profile, proxy } = options;
  const tree = processes.spawn(program, buildChromiumArguments(options), {
    cwd: profile,
    env: buildEnvironment(baseEnv, profile),
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  const [, , errors, input, output] = tree.child.stdio;
  const end = () => void tree.end(0);
  signal.addEventListener("abort", end);
  try {
    const devtools = openDevtools(input as Writable, output as Readable);
    return await work({ devtools, proxy, lastErrors: keepLastOutput(errors as Readable) });
  } finally {
    signal.removeEventListener("abort", end);
    await tree.end(signal.aborted ? 0 : GRACE_MS);
    for (const stream of [errors, input, output]) stream?.destroy();
  }
}

/** Passes on nothing of the daemon's environment, because a page could escape from the browser. */
function buildEnvironment(base: NodeJS.ProcessEnv, profile: string): Record<string, string> {
  const kept = ["PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_PATH"];
  const inherited = kept.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]]));
  return {
    ...Object.fromEntries(inherited),
    HOME: profile,
    XDG_CONFIG_HOME: profile,
    XDG_CACHE_HOME: profile,
  };
}

function keepLastOutput(errors: Readable): () => string {
  let last = "";
  errors.on("data", (chunk: Buffer) => {
    last = (last + chunk.toString("utf8")).slice(-MAX_ERROR_TEXT);
  });
  errors.on("error", () => undefined);
  return () => last;
}
