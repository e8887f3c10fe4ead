import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "../../contract/errors.ts";
import { PREFIX } from "./found-tool.ts";
import { type Language, template } from "./templates.ts";
import { SLUG } from "./tool-folders.ts";

/** Writes the folder of a tool that works, to be changed, into `root`. Throws NAME_INVALID, NAME_TAKEN. */
export async function writeNewTool(root: string, name: string, language: Language): Promise<string> {
  const slug = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  if (!SLUG.test(slug)) {
    throw new ToolkeepError(
      "NAME_INVALID",
      `the name of a custom tool is of lower-case letters, digits and _, begins with a letter and has at most 40; got ${JSON.stringify(slug.slice(0, 80))}`,
      { remedy: "Choose such a name, for instance csv_stats." },
    );
  }
  const folder = join(root, slug);
  await mkdir(root, { recursive: true, mode: 0o700 });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new ToolkeepError("NAME_TAKEN", `${folder} is there already`);
  }
  try {
    for (const { path, content, mode } of template(slug, language)) {
      await writeFile(join(folder, path), content, { flag: "wx", mode });
      // A umask may have taken the owner's rights.
      await chmod(join(folder, path), mode);
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return slug;
}
