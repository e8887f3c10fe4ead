import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { replaceFile } from "../../machine/files/replace-file.ts";
import { openWorkspace, quoted } from "../../machine/files/workspace.ts";
import type { FileDeps } from "./file-deps.ts";

/** The largest file that the file tools write, in bytes. */
export const MAX_WRITE = 10 * 1024 * 1024;

interface Args {
  readonly path: string;
  readonly content: string;
}

export function writeFileTool({ home, newId, serially }: FileDeps): Tool {
  return defineTool<Args>({
    name: "write_file",
    title: "Write a file",
    domain: "files",
    description:
      "Write a whole text file (UTF-8, at most 10 MB). Missing folders are created; an existing file is replaced in one step. " +
      "To change parts of a file use edit_file or multi_edit.",
    properties: {
      path: {
        type: "string",
        description: "Relative to the workspace, or absolute inside a granted folder.",
      },
      content: { type: "string", description: "The whole content of the file." },
    },
    required: ["path", "content"],
    scope: "files",
    async run({ path, content }, context) {
      const bytes = Buffer.from(content);
      if (bytes.length > MAX_WRITE) {
        return failed(
          `The content has ${bytes.length} bytes; write_file takes at most ${MAX_WRITE}. Split it into several files.`,
        );
      }
      const workspace = await openWorkspace(home, context);
      const place = await workspace.find(path, "write");
      if (!place.ok) return failed(place.error);
      const replaced = await serially(place.value.real, () => replaceFile(place.value, bytes, newId));
      if (!replaced.ok) return failed(replaced.error);
      const verb = replaced.value ? "Replaced" : "Created";
      return output(`${verb} ${quoted(place.value.shown)} (${bytes.length} bytes).`, {
        path: place.value.shown,
        bytes: bytes.length,
        replaced: replaced.value,
      });
    },
  });
}
