/** The texts of a call that globs are compared with, in every form in which one of them may fit. */
import type { Channel } from "./anchors.ts";
import { possibleHostsOf, sureHostOf } from "./host-names.ts";
import { argumentTexts, type CallFacts } from "./pattern.ts";

export interface Texts {
  readonly whole: readonly string[];
  /** Of paths: their folders and file, one by one. */
  readonly parts: readonly string[];
}

/** As many texts of one kind are looked up; a call with more is compared with every rule. */
const MAX_TEXTS = 200;

/** Read once a call, whichever rules look for them. */
export class CallTexts {
  readonly #facts: CallFacts;
  readonly #known = new Map<Channel, Texts | undefined>();

  constructor(facts: CallFacts) {
    this.#facts = facts;
  }

  /** Undefined: what is there cannot all be told, so that any glob may fit. */
  of(channel: Channel): Texts | undefined {
    if (!this.#known.has(channel)) this.#known.set(channel, this.#read(channel));
    return this.#known.get(channel);
  }

  #read(channel: Channel): Texts | undefined {
    const found = this.#textsOf(channel);
    return found && found.whole.length <= MAX_TEXTS ? found : undefined;
  }

  #textsOf(channel: Channel): Texts | undefined {
    const { subjects } = this.#facts;
    if (channel.startsWith("arg.")) return argumentsOf(this.#facts, channel.slice("arg.".length));
    if (subjects.more) return undefined;
    if (channel === "host") return hostsOf([...subjects.host, ...subjects.hostInCommand]);
    return channel === "command" ? commandsOf(this.#facts) : pathsOf(this.#facts, channel === "absolute");
  }
}

function pathsOf({ subjects, paths }: CallFacts, isAbsolute: boolean): Texts | undefined {
  const whole: string[] = [];
  const parts: string[] = [];
  for (const value of subjects.path) {
    const path = paths.of(value);
    if (!path) return undefined;
    for (const { absolute, inside } of path.all) {
      const folders = isAbsolute ? absolute : inside;
      if (!folders) continue;
      whole.push(folders.join("/"));
      parts.push(...folders);
    }
  }
  return { whole, parts };
}

function hostsOf(values: readonly string[]): Texts | undefined {
  const whole: string[] = [];
  for (const value of values) {
    const names = possibleHostsOf(value);
    if (!names) return undefined;
    const sure = sureHostOf(value);
    whole.push(...(names.length === 0 ? [value.toLowerCase()] : names));
    if (sure !== undefined) whole.push(sure);
  }
  return { whole, parts: [] };
}

function commandsOf({ subjects, paths }: CallFacts): Texts | undefined {
  const whole: string[] = [];
  for (const value of subjects.command) {
    const meanings = paths.commands.meaningsOf(value);
    if (!meanings) return undefined;
    whole.push(value.trim(), ...meanings);
  }
  return { whole: [...new Set(whole)], parts: [] };
}

function argumentsOf({ args }: CallFacts, name: string): Texts | undefined {
  const readings = argumentTexts(args, name);
  if (readings.some(({ more }) => more)) return undefined;
  return { whole: readings.flatMap(({ texts }) => texts), parts: [] };
}
