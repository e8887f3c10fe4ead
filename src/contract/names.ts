import { ToolkeepError } from "./errors.ts";

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Names a workspace folder and appears in commands, hence the narrow alphabet. Throws NAME_INVALID. */
export function checkName(noun: "agent" | "toolbox" | "person", name: string): string {
  if (NAME.test(name)) return name;
  throw new ToolkeepError(
    "NAME_INVALID",
    `${noun} names are lower-case letters, digits, - and _, starting with a letter, at most 40 characters; got ${JSON.stringify(name.slice(0, 80))}`,
  );
}
