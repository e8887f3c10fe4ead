const REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be read by this user",
  EPERM: "it may not be read by this user",
  ENOENT: "it is not there",
  ELOOP: "it is a symbolic link",
  ENOTDIR: "it is not a folder",
  EISDIR: "it is a folder",
  EIO: "the disk could not read it",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
};

/** Why a file or folder could not be read, for people. */
export function reasonOf(error: unknown, path = ""): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ENOENT" && path.includes("\uFFFD")) return "its name is not valid UTF-8";
  if (code !== undefined && REASONS[code] !== undefined) return REASONS[code];
  return error instanceof Error ? error.message : String(error);
}
