import { extname } from "node:path";

/** The types of files. Those of the second list contain many documents. */
export type FileType =
  | "markdown"
  | "obsidian"
  | "text"
  | "html"
  | "pdf"
  | "docx"
  | "csv"
  | "code"
  | "eml"
  | ContainerType;

export type ContainerType = "mbox" | "notion-zip" | "bookmarks";

const CONTAINERS: ReadonlySet<FileType> = new Set<FileType>(["mbox", "notion-zip", "bookmarks"]);

export function isContainer(type: FileType): type is ContainerType {
  return CONTAINERS.has(type);
}

const DOCUMENTS: Readonly<Record<string, FileType>> = {
  ".md": "markdown",
  ".markdown": "markdown",
  ".mdx": "markdown",
  ".qmd": "markdown",
  ".rmd": "markdown",
  ".txt": "text",
  ".text": "text",
  ".rst": "text",
  ".adoc": "text",
  ".org": "text",
  ".tex": "text",
  ".log": "text",
  ".html": "html",
  ".htm": "html",
  ".xhtml": "html",
  ".pdf": "pdf",
  ".docx": "docx",
  ".csv": "csv",
  ".tsv": "csv",
};

const CODE = new Set(
  ".bash .bat .c .cc .clj .cmake .cpp .cs .css .cxx .dart .elm .erl .ex .exs .f90 .fs .go .gradle .graphql .groovy .h .hpp .hs .ini .java .jl .js .json .jsonc .jsx .kt .kts .less .lisp .lua .m .mjs .ml .mm .nim .nix .pas .php .pl .pm .proto .ps1 .py .r .rb .rs .sass .scala .scm .scss .sh .sol .sql .svelte .swift .tcl .tf .toml .ts .tsx .vb .vim .vue .xml .yaml .yml .zig .zsh".split(
    " ",
  ),
);
const CODE_NAMES = new Set(["Dockerfile", "Makefile", "Rakefile", "Gemfile", "Justfile", "CMakeLists.txt"]);
const TEXT_NAMES = new Set(["README", "LICENSE", "NOTICE", "CHANGELOG", "TODO", "AUTHORS", "CONTRIBUTING"]);

/** Undefined if files of this type are not read in a folder. */
export function folderFileType(name: string): FileType | undefined {
  const extension = extname(name).toLowerCase();
  if (CODE.has(extension) || CODE_NAMES.has(name)) return "code";
  return DOCUMENTS[extension] ?? (extension === ".eml" ? "eml" : TEXT_NAMES.has(name) ? "text" : undefined);
}

/** Files in the inbox are text, whatever their extension. */
export function inboxFileType(name: string): FileType {
  return folderFileType(name) ?? "text";
}

/** In a vault: notes and other documents, but no code. */
export function vaultFileType(name: string): FileType | undefined {
  const type = DOCUMENTS[extname(name).toLowerCase()];
  return type === "markdown" ? "obsidian" : type;
}

/** Thunderbird's folders have no extension; Apple's and others have one. */
export function mailFileType(name: string): FileType | undefined {
  const extension = extname(name).toLowerCase();
  if (extension === ".eml" || extension === ".emlx") return "eml";
  if (extension === ".mbox" || extension === ".mbx") return "mbox";
  return extension === "" ? "mbox" : undefined;
}

export function notionFileType(name: string): FileType | undefined {
  return extname(name).toLowerCase() === ".zip" ? "notion-zip" : DOCUMENTS[extname(name).toLowerCase()];
}

export function bookmarksFileType(name: string): FileType | undefined {
  const extension = extname(name).toLowerCase();
  const isOne =
    name === "Bookmarks" || extension === ".html" || extension === ".htm" || extension === ".json";
  return isOne || name === "places.sqlite" ? "bookmarks" : undefined;
}
