import type { ToolStatus } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { CustomToolRecord } from "../../machine/db/tables/sources/custom-tool-record.ts";
import { type Launch, launchOf } from "./launch.ts";
import { MANIFEST, type Manifest, type ReadManifest, readManifest } from "./manifest.ts";
import { readFolder, type ScriptFolder } from "./script-folder.ts";

export const PREFIX = "custom_";

/** A folder of `tools/` with a usable name, as it was read last. */
export interface FoundTool {
  readonly slug: string;
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Null where the folder could not be read whole. */
  readonly sha256: string | null;
  /** What of it can be used, or what is wrong with it. */
  readonly read: Result<Usable, string>;
}

export interface Usable extends ReadManifest {
  /** An interpreter that is missing here may be there on another machine. */
  readonly launch: Result<Launch, string>;
}

/** Reads a folder and what its manifest says. Never rejects for what is in it. */
export async function findTool(
  slug: string,
  folder: string,
  pathOf: (manifest: Manifest) => string | undefined,
): Promise<FoundTool> {
  const found = await readFolder(folder);
  if (!found.ok) return { slug, folder, files: [], sha256: null, read: found };
  const { files, sha256 } = found.value;
  return {
    slug,
    folder,
    files: files.map(({ path, content }) => ({ path, bytes: content.length })),
    sha256,
    read: await usable(found.value, pathOf),
  };
}

async function usable(
  { files }: ScriptFolder,
  pathOf: (manifest: Manifest) => string | undefined,
): Promise<Result<Usable, string>> {
  const written = files.find(({ path }) => path === MANIFEST);
  if (!written) return err(`it has no ${MANIFEST}`);
  const manifest = readManifest(written.content.toString("utf8"));
  if (!manifest.ok) return err(manifest.error.join("; "));
  const { entry } = manifest.value.manifest;
  const script = files.find(({ path }) => path === entry);
  if (!script) return err(`${MANIFEST}: entry: expected a file of the folder, got ${JSON.stringify(entry)}`);
  const launch = await launchOf(manifest.value.manifest, script, pathOf(manifest.value.manifest));
  return ok({ ...manifest.value, launch });
}

/** What stands in the way of a call, for its caller; `found` or `record` is there. */
export function statusOf(
  slug: string,
  found: FoundTool | undefined,
  record: CustomToolRecord | undefined,
  isSecret: (name: string) => boolean,
): ToolStatus {
  const enable = `toolkeep tool enable ${PREFIX}${slug}`;
  if (!found)
    return unavailable(`${PREFIX}${slug} is enabled, but its folder is not on this machine. Tell a person.`);
  if (!found.read.ok) return disabled(`${PREFIX}${slug} cannot be used: ${found.read.error}`);
  if (!record)
    return disabled(`${PREFIX}${slug} is not enabled. A person who has read it enables it: ${enable}`);
  if (record.sha256 !== found.sha256)
    return disabled(
      `${PREFIX}${slug} has changed since it was enabled. A person who has read it enables it again: ${enable}`,
    );
  const { manifest, launch } = found.read.value;
  if (!launch.ok) return unavailable(`${PREFIX}${slug} cannot be run here: ${launch.error}`);
  const missing = missingSecrets(manifest, isSecret);
  if (missing.length > 0)
    return unavailable(
      `${PREFIX}${slug} needs the secret ${missing.join(", ")}, which is not stored. Ask a person for it with prompt_secret.`,
    );
  return { kind: "active" };
}

/** The secrets that it names and nobody has stored. */
export function missingSecrets(
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
