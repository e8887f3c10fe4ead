import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import { PREFIX } from "./scanned-tool.ts";
import { type Language, renderTemplate } from "./templates.ts";
import { SLUG } from "./tool-folders.ts";

/** Creates the folder of a tool in `root` from a working template. Throws NAME_INVALID or NAME_TAKEN. */
export async function writeNewTool(root: string, name: string, language: Language): Promise<string> {
  const slug = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  if (!SLUG.test(slug)) {
    throw new ToolkeepError(
      "NAME_INVALID",
      `the name of a custom tool must be lower-case letters, digits and _, start with a letter and have at most 40 characters; got ${JSON.stringify(slug.slice(0, 80))}`,
      { remedy: "Choose a name such as csv_stats." },
    );
  }
  const folder = join(root, slug);
  await mkdir(root, { recursive: true, mode: 0o700 });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ToolkeepError("NAME_TAKEN", `${folder} already exists`);
  }
  try {
    for (const { path, content, mode } of renderTemplate(slug, language)) {
      await writeFile(join(folder, path), content, { flag: "wx", mode });
      // A umask may have removed the owner's permissions.
      await chmod(join(folder, path), mode);
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return slug;
}
