/** Which of a tool's arguments are paths, hosts or commands, judged by their names and by the tool's schema. */

import type { Tool } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";

export const SUBJECT_KINDS = ["path", "host", "command"] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/**
 * What a name says about its value. `place`: a path or a host, if it looks like one; `other`: neither, unless it
 * clearly looks like one; undefined: nothing.
 */
export type ArgumentKind = SubjectKind | "place" | "environment" | "other" | undefined;

/** What a schema says about one position in the arguments. */
export interface DeclaredArgument {
  readonly format?: SubjectKind;
  /** Undefined: the schema names none. */
  readonly properties?: ReadonlyMap<string, DeclaredArgument>;
}

const MAX_NAMES = 500;
const MAX_DEPTH = 8;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const NAMES: Readonly<Record<NonNullable<ArgumentKind>, ReadonlySet<string>>> = {
  path: words(
    "path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders cwd workdir",
  ),
  host: words(
    "url urls uri uris href link links endpoint host hosts hostname domain domains website webhook",
  ),
  command: words("command commands cmd commandline script shell exec program executable"),
  environment: words("env environment"),
  place: words(
    "source sources src destination destinations dest dst target targets from to input output out root location origin remote server address proxy callback base upstream site gateway peer",
  ),
  /** A name with such an ending is not the place that it begins with: `file_content`, `url_count`. */
  other: words(
    "content contents text data body id ids type size mode encoding format count limit pattern description title query q search message prompt regex replacement branch ref tag tags label labels model version date timezone code markdown html json xml sql",
  ),
};
const KINDS = Object.keys(NAMES) as NonNullable<ArgumentKind>[];
const FORMATS: Readonly<Record<string, SubjectKind>> = {
  uri: "host",
  url: "host",
  iri: "host",
  "uri-reference": "host",
  hostname: "host",
  path: "path",
  "file-path": "path",
  "directory-path": "path",
};
/** For a tool that declares no arguments: any of them may be declared. */
const ANY_ARGUMENT: DeclaredArgument = {};

/** Computed once per tool. */
export class ArgumentKinds {
  readonly #names = new Map<string, ArgumentKind>();
  readonly #root: DeclaredArgument;

  constructor({ inputSchema }: Pick<Tool, "inputSchema">) {
    const declared = new SchemaReader(inputSchema).read(inputSchema);
    this.#root = declared.properties ? declared : ANY_ARGUMENT;
  }

  get root(): DeclaredArgument {
    return this.#root;
  }

  /** What is declared under a name at this position; undefined: nothing, so the tool may ignore the value. */
  declaredUnder(parent: DeclaredArgument | undefined, name: string): DeclaredArgument | undefined {
    return parent === ANY_ARGUMENT ? ANY_ARGUMENT : parent?.properties?.get(name);
  }

  declares(steps: readonly string[]): boolean {
    return (
      steps.reduce<DeclaredArgument | undefined>(
        (parent, step) => this.declaredUnder(parent, step),
        this.#root,
      ) !== undefined
    );
  }

  kindOf(name: string, declared: DeclaredArgument | undefined): ArgumentKind {
    return declared?.format ?? this.#byName(name);
  }

  #byName(name: string): ArgumentKind {
    const known = this.#names.get(name);
    if (known !== undefined || this.#names.has(name)) return known;
    const kind = kindByName(name);
    if (this.#names.size < MAX_NAMES) this.#names.set(name, kind);
    return kind;
  }
}

/** A list is declared as its items are; what one of several alternatives declares counts as declared. */
class SchemaReader {
  readonly #root: unknown;
  #names = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  read(schema: unknown, depth = 0): DeclaredArgument {
    if (!isRecord(schema) || depth > MAX_DEPTH) return {};
    const parts = [schema.$ref === undefined ? undefined : this.#resolveRef(schema.$ref), schema.items]
      .concat(["allOf", "anyOf", "oneOf"].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])))
      .filter((part) => part !== undefined)
      .slice(0, MAX_NAMES)
      .map((part) => this.read(part, depth + 1));
    const own = this.#readProperties(schema.properties, depth);
    const format = kindByFormat(schema) ?? parts.find((part) => part.format)?.format;
    const all = [own, ...parts.map(({ properties }) => properties)].filter((each) => each !== undefined);
    return {
      ...(format && { format }),
      ...(all.length > 0 && {
        properties: all.length === 1 ? all[0]! : new Map(all.flatMap((each) => [...each])),
      }),
    };
  }

  #readProperties(properties: unknown, depth: number): Map<string, DeclaredArgument> | undefined {
    if (!isRecord(properties)) return undefined;
    const declared = new Map<string, DeclaredArgument>();
    for (const name of Object.keys(properties)) {
      if (++this.#names > MAX_NAMES) break;
      declared.set(name, this.read(properties[name], depth + 1));
    }
    return declared;
  }

  #resolveRef(ref: unknown): unknown {
    if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
    const steps = ref.slice(2, 500).split("/");
    return steps.reduce<unknown>(
      (value, step) => (isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined),
      this.#root,
    );
  }
}

function kindByFormat({ format }: Readonly<Record<string, unknown>>): SubjectKind | undefined {
  return typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
}

function kindByName(name: string): ArgumentKind {
  const parts = name
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const kindOf = (word = "") => KINDS.find((kind) => NAMES[kind].has(word));
  return kindOf(parts.at(-1)) ?? kindOf(parts[0]);
}
