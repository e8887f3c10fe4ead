import { createHash } from "node:crypto";
import { sanitise } from "../lib/tool-name.ts";

export interface NamelessPrompt {
  readonly serverName: string;
  readonly prefix: string;
  /** As the server has it. */
  readonly name: string;
}

const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

/**
 * A name for every prompt, in the order given, no two the same: `<prefix>_<name>`. Where several prompts come to the
 * same, the one that is really called so keeps it and the others get a short hash, so that the order in which servers
 * are added changes nothing.
 */
export function namePrompts(prompts: readonly NamelessPrompt[]): string[] {
  const takers = new Map<string, number>();
  const plainNames = prompts.map(plainName);
  for (const name of plainNames) takers.set(name, (takers.get(name) ?? 0) + 1);
  const used = new Set<string>();
  return prompts.map((prompt, index) => {
    const plain = plainNames[index]!;
    const isFree = !used.has(plain) && (takers.get(plain) === 1 || isExact(prompt, plain));
    let name = isFree ? plain : withHash(prompt, 0);
    for (let attempt = 1; used.has(name); attempt++) name = withHash(prompt, attempt);
    used.add(name);
    return name;
  });
}

function isExact({ prefix, name }: NamelessPrompt, plain: string): boolean {
  return `${prefix}_${name}` === plain;
}

function plainName(prompt: NamelessPrompt): string {
  const whole = wholeName(prompt);
  return whole.length <= MAX_LENGTH ? whole : withHash(prompt, 0);
}

function wholeName({ prefix, name }: NamelessPrompt): string {
  return `${prefix}_${sanitise(name)}`;
}

function withHash(prompt: NamelessPrompt, attempt: number): string {
  const seed = `${prompt.serverName}\0${prompt.name}\0${attempt}`;
  const hash = createHash("sha256").update(seed).digest("hex").slice(0, HASH_LENGTH);
  return `${wholeName(prompt).slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
