import { isAbsolute } from "node:path";
import { err, ok, type Result } from "../../lib/result.ts";
import { commandWords } from "./command-words.ts";

/** The place where the value of a secret is read when it is needed. */
export type Reference =
  | { readonly source: "env"; readonly variable: string }
  | { readonly source: "file"; readonly path: string }
  | { readonly source: "cmd"; readonly program: string; readonly args: readonly string[] };

const MAX_LENGTH = 4_096;

/** The error says what is wrong with the text. */
export function parseReference(text: string): Result<Reference, string> {
  if (text.length > MAX_LENGTH) return err(`a reference has at most ${MAX_LENGTH} characters`);
  const [, source, place = ""] = /^(env|file|cmd):(.*)$/s.exec(text) ?? [];
  switch (source) {
    case "env":
      return parseVariable(place);
    case "file":
      return isAbsolute(place) && !place.includes("\0")
        ? ok({ source, path: place })
        : err("file: wants an absolute path");
    case "cmd":
      return parseCommand(place);
    default:
      return err("a reference is env:NAME, file:/path or cmd:program args");
  }
}

function parseVariable(name: string): Result<Reference, string> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return err("env: wants the name of a variable");
  return name.startsWith("TOOLKEEP_") || name === "DATABASE_URL"
    ? err(`${name} is Toolkeep's own, and no secret for tools`)
    : ok({ source: "env", variable: name });
}

function parseCommand(text: string): Result<Reference, string> {
  const words = commandWords(text);
  if (words === undefined) return err("cmd: a quote is not closed");
  const [program, ...args] = words;
  if (!program || text.includes("\0"))
    return err("cmd: wants a program and its arguments; there is no shell unless you name one");
  return ok({ source: "cmd", program, args });
}
