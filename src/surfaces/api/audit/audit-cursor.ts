import { ToolkeepError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";

/** A place in a list as a text that is only handed back. */
export function cursorText(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Throws BAD_REQUEST for what is none: `fields` says which there are and of what type. */
export function readCursor<T extends object>(text: string, fields: Readonly<Record<keyof T, string>>): T {
  try {
    const value = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const isPlace =
      isRecord(value) && Object.entries<string>(fields).every(([name, type]) => typeof value[name] === type);
    if (isPlace) return value as T;
  } catch {
    // Said below.
  }
  throw new ToolkeepError("BAD_REQUEST", "cursor should be the `next` of an earlier page, as it came");
}
