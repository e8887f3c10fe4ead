import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { HostContext } from "../../src/features/clients/client.ts";
import { type DiscoverOptions, type Discovery, discover } from "../../src/features/clients/discover.ts";
import { readSettingsText } from "../../src/machine/config/edit/settings-text.ts";
import { putEmptyStore } from "./store-template.ts";
import { tempHome } from "./temp-home.ts";

export interface ClientHome extends AsyncDisposable {
  /** The person's home. */
  readonly home: string;
  /** Their current folder. */
  readonly project: string;
  host(env?: Record<string, string>): HostContext;
  /** Writes a file below the home; objects become JSON. Resolves with its path. */
  write(name: string, content: string | object, mode?: number): Promise<string>;
  discover(options?: Partial<DiscoverOptions> & { env?: Record<string, string> }): Promise<Discovery>;
}

/** A home with a project in it, for the settings of clients. */
export async function clientHome(): Promise<ClientHome> {
  const { path: home, [Symbol.asyncDispose]: dispose } = await tempHome();
  const project = join(home, "project");
  await mkdir(project);
  const host = (env: Record<string, string> = {}): HostContext => ({
    home,
    env: { HOME: home, ...env },
    cwd: project,
    platform: "linux",
  });
  return {
    home,
    project,
    host,
    async write(name, content, mode = 0o600) {
      const path = join(home, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
      await chmod(path, mode);
      return path;
    },
    discover: ({ env, ...options } = {}) =>
      discover({ host: host(env), readText: readSettingsText, ownUrl: null, ...options }),
    [Symbol.asyncDispose]: dispose,
  };
}

/** The same with a store of Toolkeep in `.toolkeep`, as whoever used it before has. */
export async function clientHomeWithStore(): Promise<ClientHome> {
  const home = await clientHome();
  await putEmptyStore(join(home.home, ".toolkeep"));
  return home;
}

/** How a command of the person runs, in their current folder. */
export function commandIn({ home, project: cwd }: ClientHome) {
  return {
    env: { HOME: home, TOOLKEEP_HOME: join(home, ".toolkeep"), TOOLKEEP_DEFAULT_RULES: "false" },
    cwd,
  };
}
