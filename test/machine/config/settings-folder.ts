import { mkdir, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadOptions } from "../../../src/machine/config/load.ts";
import { tempHome } from "../../support/temp-home.ts";

export interface SettingsFolder extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** Options that load from these folders, the project trusted. */
  readonly options: LoadOptions;
  /** Puts `home/…` or `project/…` in place, whole at once; an object is written as JSON. Returns the path. */
  write(name: string, content: unknown): Promise<string>;
}

/** A home and a project folder with the given files, gone when their scope ends. */
export async function settingsFolder(
  files: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<SettingsFolder> {
  const root = await tempHome();
  const base = await realpath(root.path);
  const home = join(base, "home");
  const project = join(base, "project");
  await mkdir(home);
  await mkdir(project);
  const write = async (name: string, content: unknown) => {
    const path = join(base, name);
    await writeFile(`${path}.new`, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    await rename(`${path}.new`, path);
    return path;
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    home,
    project,
    options: { home, cwd: project, env, isTrusted: () => true },
    write,
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}
