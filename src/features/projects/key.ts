import { ToolkeepError } from "../../contract/errors.ts";

const KEY = /^[A-Z][A-Z0-9]{1,9}$/;

/** The key in capitals. Tickets carry it in their names (`TK-12`), hence the narrow alphabet. Throws NAME_INVALID. */
export function checkKey(key: string): string {
  const capitals = key.toUpperCase();
  if (KEY.test(capitals)) return capitals;
  throw new ToolkeepError(
    "NAME_INVALID",
    `the key of a project is 2 to 10 letters and digits, beginning with a letter, such as TK; got ${JSON.stringify(key.slice(0, 40))}`,
    { remedy: "Give such a key, or leave it out: one is made from the name then." },
  );
}

/** The initials of a name, or the beginning of its only word; with a number where that is taken. */
export function keyFrom(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const words = plain.toUpperCase().match(/[A-Z0-9]+/g) ?? [];
  const initials = words.map((word) => word[0]).join("");
  const letters = (words.length > 1 ? initials : (words[0] ?? "")).slice(0, 4);
  const base = KEY.test(letters) ? letters : `P${letters}`.padEnd(2, "R");
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) if (!taken.has(`${base}${number}`)) return `${base}${number}`;
}
