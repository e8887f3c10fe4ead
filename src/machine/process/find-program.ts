import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * Returns the path of the program that `name` starts: itself if it is a path, otherwise the first match in `PATH`;
 * undefined if there is none.
 */
export async function findProgram(name: string, path: string | undefined): Promise<string | undefined> {
  const candidates = isAbsolute(name)
    ? [name]
    : (path ?? "")
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, name));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
