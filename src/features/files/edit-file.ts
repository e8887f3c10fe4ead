import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { openPlace, readAtMost } from "../../machine/files/open-file.ts";
import { replaceFile } from "../../machine/files/replace-file.ts";
import { decodeText, encodeText, type TextFile } from "../../machine/files/text-file.ts";
import { type FilePlace, openWorkspace, quoted, type Workspace } from "../../machine/files/workspace.ts";
import { type Edit, type EditResult, editText } from "./edit-text.ts";
import type { FileDeps } from "./file-deps.ts";
import { MAX_WRITE } from "./write-file.ts";

const MAX_EDITS = 100;

const PATH = {
  type: "string",
  description: "Relative to the workspace, or absolute inside a granted folder.",
};
const EDIT = {
  old_string: {
    type: "string",
    description: "The text to replace, exactly as it is in the file, without line numbers.",
  },
  new_string: { type: "string", description: "What comes in its place; may be empty." },
  replace_all: {
    type: "boolean",
    description: "Replace every occurrence instead of exactly one. Default false.",
  },
};

export function editFileTool(deps: FileDeps): Tool {
  return defineTool<Edit & { readonly path: string }>({
    name: "edit_file",
    title: "Edit a file",
    domain: "files",
    description:
      "Replace one exact piece of text in a text file. old_string must occur exactly once unless replace_all is true. " +
      "Line endings, byte order mark and file mode stay as they are.",
    properties: { path: PATH, ...EDIT },
    required: ["path", "old_string", "new_string"],
    scope: "files",
    run: ({ path, ...edit }, context) => applyToFile(deps, path, [edit], context),
  });
}

export function multiEditTool(deps: FileDeps): Tool {
  return defineTool<{ readonly path: string; readonly edits: readonly Edit[] }>({
    name: "multi_edit",
    title: "Edit a file in several places",
    domain: "files",
    description:
      "Apply several edits to one text file, in order, each to the result of the one before. All of them or none: when one fails the file is unchanged.",
    properties: {
      path: PATH,
      edits: {
        type: "array",
        minItems: 1,
        maxItems: MAX_EDITS,
        items: {
          type: "object",
          properties: EDIT,
          required: ["old_string", "new_string"],
          additionalProperties: false,
        },
      },
    },
    required: ["path", "edits"],
    scope: "files",
    run: ({ path, edits }, context) => applyToFile(deps, path, edits, context),
  });
}

async function applyToFile(
  deps: FileDeps,
  path: string,
  edits: readonly Edit[],
  context: ToolContext,
): Promise<ToolResult> {
  const workspace = await openWorkspace(deps.home, context);
  const place = await workspace.find(path, "write");
  if (!place.ok) return failed(place.error);
  return deps.serially(place.value.real, () => editFile(deps, workspace, place.value, edits));
}

async function editFile(
  { newId }: FileDeps,
  workspace: Workspace,
  place: FilePlace,
  edits: readonly Edit[],
): Promise<ToolResult> {
  const name = quoted(place.shown);
  const file = await readText(workspace, place);
  if (!file.ok) return failed(file.error);
  const result = applyEdits(file.value, edits);
  if (!result.ok) return failed(`${name} is unchanged: ${result.error}`);
  const bytes = encodeText({ ...file.value, text: result.value.text });
  if (bytes.length > MAX_WRITE)
    return failed(
      `${name} is unchanged: it would have ${bytes.length} bytes; at most ${MAX_WRITE} are allowed.`,
    );
  const replaced = await replaceFile(place, bytes, newId);
  if (!replaced.ok) return failed(replaced.error);
  const { replacements, lines } = result.value;
  const where = lines.slice(0, 10).join(", ") + (replacements > 10 ? " …" : "");
  const count = replacements === 1 ? "1 replacement" : `${replacements} replacements`;
  return output(`Edited ${name}: ${count}, at line ${where}.`, { path: place.shown, replacements });
}

async function readText(workspace: Workspace, place: FilePlace): Promise<Result<TextFile, string>> {
  const file = await openPlace(workspace, place);
  if (!file.ok) return file;
  try {
    const bytes = await readAtMost(file.value, MAX_WRITE);
    if (bytes.length > MAX_WRITE)
      return err(`${quoted(place.shown)} is larger than 10 MB. Use run_shell to change it.`);
    const decoded = decodeText(bytes);
    return decoded.ok ? decoded : err(`${quoted(place.shown)} cannot be edited as text: ${decoded.error}.`);
  } finally {
    await file.value.handle.close();
  }
}

function applyEdits(file: TextFile, edits: readonly Edit[]): Result<EditResult, string> {
  let { text } = file;
  let replacements = 0;
  const lines: number[] = [];
  for (const [index, edit] of edits.entries()) {
    const result = editText(text, file.crlf ? stripCarriageReturns(edit) : edit, MAX_WRITE);
    if (!result.ok)
      return err(edits.length > 1 ? `edit ${index + 1} of ${edits.length}: ${result.error}` : result.error);
    text = result.value.text;
    replacements += result.value.replacements;
    lines.push(...result.value.lines);
  }
  return ok({ text, replacements, lines });
}

function stripCarriageReturns(edit: Edit): Edit {
  const plain = (value: string) => value.replaceAll("\r\n", "\n");
  return { ...edit, old_string: plain(edit.old_string), new_string: plain(edit.new_string) };
}
