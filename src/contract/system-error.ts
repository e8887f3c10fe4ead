const EXPLANATIONS: Readonly<Record<string, string>> = {
  EACCES:
    "The operating system does not permit this. Use another path, or ask a person to change the permissions.",
  EPERM:
    "The operating system does not permit this. Use another path, or ask a person to change the permissions.",
  EROFS: "That file system is read-only. Write somewhere else, for example in the workspace.",
  ENOSPC: "The disk is full. Delete what is no longer needed, or tell a person.",
  EDQUOT: "The disk quota is used up. Delete what is no longer needed, or tell a person.",
  EMFILE: "Too many files are open right now. Try again in a moment.",
  ENFILE: "Too many files are open right now. Try again in a moment.",
  EBUSY: "The file is in use. Try again in a moment.",
  ENAMETOOLONG:
    "A name in the path is longer than the file system takes (usually 255 bytes). Use a shorter name.",
  ELOOP:
    "The path leads through a symbolic link that changed during the call or goes in circles. Use the path of the file itself.",
  ENOENT: "The file or a folder on its path disappeared during the call. List the folder and try again.",
  ENOTDIR: "A part of the path is a file, not a folder. List the folder and correct the path.",
  EISDIR: "The path is a folder; a file was expected. List the folder and name a file.",
  EINVAL: "The file system does not accept this path. Use another name.",
  EILSEQ: "The file system does not accept this name. Use another name.",
  EIO: "The disk reported an error. Tell a person.",
};

/** Explains an operating system error to a model; undefined for any other error, which is a bug. */
export function explainSystemError(thrown: unknown): string | undefined {
  const code = systemCode(thrown);
  // Node's own message is left out: it carries the real path, which may lie outside the allowed folders.
  return code === undefined ? undefined : (EXPLANATIONS[code] ?? `The operating system answered ${code}.`);
}

/** Returns a code such as `ENOENT`; undefined for errors that do not come from the operating system. */
export function systemCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("syscall" in thrown) || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
