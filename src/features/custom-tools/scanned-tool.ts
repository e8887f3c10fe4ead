import type { ToolStatus } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { CustomToolRecord } from "./contract.ts";
import { findLaunch, type Launch } from "./launch.ts";
import { MANIFEST, type Manifest, type ParsedManifest, parseManifest } from "./manifest.ts";
import { readFolder, type ScriptFolder } from "./script-folder.ts";

export const PREFIX = "custom_";

/** A folder in `tools/` with a valid name, as last read. */
export interface ScannedTool {
  readonly slug: string;
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Null if the folder could not be read completely. */
  readonly sha256: string | null;
  /** The usable tool, or what is wrong with it. */
  readonly read: Result<UsableTool, string>;
}

export interface UsableTool extends ParsedManifest {
  /** An interpreter that is missing here may exist on another machine. */
  readonly launch: Result<Launch, string>;
}

/** Reads a folder and its manifest. Never rejects because of their content. */
export async function readTool(
  slug: string,
  folder: string,
  getPath: (manifest: Manifest) => string | undefined,
): Promise<ScannedTool> {
  const tool = await readFolder(folder);
  if (!tool.ok) return { slug, folder, files: [], sha256: null, read: tool };
  const { files, sha256 } = tool.value;
  return {
    slug,
    folder,
    files: files.map(({ path, content }) => ({ path, bytes: content.length })),
    sha256,
    read: await checkFiles(tool.value, getPath),
  };
}

async function checkFiles(
  { files }: ScriptFolder,
  getPath: (manifest: Manifest) => string | undefined,
): Promise<Result<UsableTool, string>> {
  const manifestFile = files.find(({ path }) => path === MANIFEST);
  if (!manifestFile) return err(`the folder has no ${MANIFEST}`);
  const manifest = parseManifest(manifestFile.content.toString("utf8"));
  if (!manifest.ok) return err(manifest.error.join("; "));
  const { entry } = manifest.value.manifest;
  const script = files.find(({ path }) => path === entry);
  if (!script) return err(`${MANIFEST}: entry: expected a file of the folder, got ${JSON.stringify(entry)}`);
  const launch = await findLaunch(manifest.value.manifest, script, getPath(manifest.value.manifest));
  return ok({ ...manifest.value, launch });
}

/** Whether the tool can be called, and why not. At least one of `tool` and `record` is defined. */
export function getStatus(
  slug: string,
  found: ScannedTool | undefined,
  record: CustomToolRecord | undefined,
  isSecret: (name: string) => boolean,
): ToolStatus {
  const enable = `toolkeep tool enable ${PREFIX}${slug}`;
  if (!found)
    return unavailable(`${PREFIX}${slug} is enabled, but its folder is not on this machine. Tell a person.`);
  if (!found.read.ok) return disabled(`${PREFIX}${slug} cannot be used: ${found.read.error}`);
  if (!record)
    return disabled(`${PREFIX}${slug} is not enabled. A person has to review and enable it: ${enable}`);
  if (record.sha256 !== found.sha256)
    return disabled(
      `${PREFIX}${slug} has changed since it was enabled. A person has to review and enable it again: ${enable}`,
    );
  const { manifest, launch } = found.read.value;
  if (!launch.ok) return unavailable(`${PREFIX}${slug} cannot run here: ${launch.error}`);
  const missing = findMissingSecrets(manifest, isSecret);
  if (missing.length > 0)
    return unavailable(
      `${PREFIX}${slug} needs the secret ${missing.join(", ")}, which is not stored. Ask a person for it with prompt_secret.`,
    );
  return { kind: "active" };
}

/** The secrets that it names and that are not stored. */
export function findMissingSecrets(
  { secrets }: Pick<Manifest, "secrets">,
  isSecret: (name: string) => boolean,
): readonly string[] {
  return secrets.filter((name) => !isSecret(name));
}

function disabled(reason: string): ToolStatus {
  return { kind: "disabled", reason };
}

function unavailable(reason: string): ToolStatus {
  return { kind: "unavailable", reason };
}
