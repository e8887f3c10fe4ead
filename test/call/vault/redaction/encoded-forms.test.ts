import { expect, it } from "vitest";
import { Redaction } from "../../../../src/call/vault/redaction/redaction.ts";

const SECRET = `p@ss/w"rd+<é>&'x=`;
const bytes = Buffer.from(SECRET);
const json = JSON.stringify(SECRET).slice(1, -1);
const escapes = (write: (unit: number) => string) =>
  Array.from({ length: SECRET.length }, (_, index) => write(SECRET.charCodeAt(index))).join("");
const html = SECRET.replaceAll("&", "&amp;")
  .replaceAll("<", "&lt;")
  .replaceAll(">", "&gt;")
  .replaceAll('"', "&quot;");

it.each([
  ["JSON", json],
  ["JSON with \\/", json.replaceAll("/", "\\/")],
  ["JSON in JSON", JSON.stringify({ a: json }).slice(6, -2)],
  ["a URL", encodeURIComponent(SECRET)],
  ["a URL in a URL", encodeURIComponent(encodeURIComponent(SECRET))],
  ["a form", new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ["a URL with every byte escaped", [...bytes].map((byte) => `%${byte.toString(16)}`).join("")],
  ["the same in capitals", [...bytes].map((byte) => `%${byte.toString(16).toUpperCase()}`).join("")],
  ["base64", bytes.toString("base64")],
  ["base64 in a URL", encodeURIComponent(bytes.toString("base64"))],
  ["base64url", bytes.toString("base64url")],
  ["hex", bytes.toString("hex")],
  ["hex in capitals", bytes.toString("hex").toUpperCase()],
  ["HTML", html.replaceAll("'", "&#39;")],
  ["HTML of others", html.replaceAll("'", "&#x27;")],
  ["HTML with numbers", [...SECRET].map((each) => `&#${each.codePointAt(0)};`).join("")],
  ["HTML with hex", [...SECRET].map((each) => `&#x${each.codePointAt(0)!.toString(16)};`).join("")],
  ["escapes of every character", escapes((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)],
  ["escapes in capitals", escapes((unit) => `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`)],
  [
    "JSON that is safe in HTML",
    json.replace(/[<>&'+=é]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`),
  ],
])("a value is taken out of %s", (_, form) => {
  const redaction = new Redaction();
  redaction.add(SECRET);
  expect(redaction.apply(`before ${form} after`)).toMatch(/^before \[redacted\]=* after$/);
});
