import { isRecord } from "../../../lib/json.ts";
import { type Finding, NOBODY_ELSE, type Others, scanText } from "./scan-text.ts";

const MAX_FINDINGS = 20;
const MAX_DEPTH = 12;
/** Addresses and pictures, which no model reads. */
const UNREAD = new Set(["icons", "_meta", "uri", "uriTemplate", "mimeType", "$schema", "$id", "$ref"]);

/** What people should look at in a definition of a tool, prompt or resource, or in another value that a server published. */
export function scanDefinition(definition: unknown, others: Others = NOBODY_ELSE): readonly Finding[] {
  const findings: Finding[] = [];
  scan(definition, "", 0, others, findings);
  return findings;
}

function scan(value: unknown, field: string, depth: number, others: Others, findings: Finding[]): void {
  if (findings.length >= MAX_FINDINGS || depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    findings.push(...scanText(field, value, others));
  } else if (Array.isArray(value)) {
    // The values of an enum are one text: a sentence may be spread over them.
    if (value.every((item) => typeof item === "string"))
      scan(value.join("\n"), field, depth, others, findings);
    else for (const [at, item] of value.entries()) scan(item, `${field}[${at}]`, depth + 1, others, findings);
  } else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (UNREAD.has(key)) continue;
      const inner = field === "" ? key : `${field}.${key}`;
      // A name may be as long as a sentence.
      if (key.length > 20) findings.push(...scanText(field, key.replace(/[_-]+/g, " "), others));
      scan(item, inner, depth + 1, others, findings);
    }
  }
}
