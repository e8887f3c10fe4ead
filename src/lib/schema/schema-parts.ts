import { isRecord, type JsonSchema } from "../json.ts";

/** A part of a schema and its JSON pointer in the whole. */
export interface Part {
  readonly schema: JsonSchema;
  readonly pointer: string;
}

/** True if a value fits the part of a schema at a JSON pointer. */
export type FitsPart = (pointer: string, value: unknown) => boolean;

/** Only this many places of a schema are searched for anchors. */
const MAX_PLACES = 20_000;

/** Finds the parts of one schema that its references name. */
export class SchemaParts {
  readonly root: Part;
  #named: ReadonlyMap<string, Part> | undefined;

  constructor(schema: JsonSchema) {
    this.root = { schema, pointer: "" };
  }

  /**
   * Returns the schema under a keyword of a part, or under an entry of it; undefined if there is none that restricts
   * anything.
   */
  under({ schema, pointer }: Part, keyword: string, key?: string | number): Part | undefined {
    const value = schema[keyword];
    if (key === undefined) return partAt(value, `${pointer}/${keyword}`);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    const inner = (value as Record<string | number, unknown>)[key];
    return partAt(inner, `${pointer}/${keyword}/${escaped(String(key))}`);
  }

  /** Returns all schemas in a list keyword: `allOf`, `anyOf`, `oneOf`, `prefixItems`. */
  listed(part: Part, keyword: string): readonly (Part | undefined)[] {
    const value = part.schema[keyword];
    return Array.isArray(value) ? value.map((_, index) => this.under(part, keyword, index)) : [];
  }

  /** Returns the part of the same schema that its `$ref`, of whichever kind, names. */
  referredTo({ schema }: Part): Part | undefined {
    const ref = schema.$ref ?? schema.$dynamicRef ?? schema.$recursiveRef;
    if (typeof ref !== "string") return undefined;
    if (ref === "#") return this.root;
    return ref.startsWith("#/") ? this.#atPointer(ref.slice(1)) : this.#byName().get(ref);
  }

  #atPointer(pointer: string): Part | undefined {
    let target: unknown = this.root.schema;
    for (const part of pointer.split("/").slice(1)) {
      const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
      target = (target as Record<string, unknown>)[key];
    }
    return partAt(target, pointer);
  }

  /** By `$id`, and by `#` plus the name of an anchor. */
  #byName(): ReadonlyMap<string, Part> {
    if (this.#named) return this.#named;
    const named = new Map<string, Part>();
    const places: { value: object; pointer: string }[] = [{ value: this.root.schema, pointer: "" }];
    for (let index = 0; index < places.length && index < MAX_PLACES; index++) {
      const { value, pointer } = places[index]!;
      if (isRecord(value)) for (const name of namesOf(value)) named.set(name, { schema: value, pointer });
      for (const [key, inner] of Object.entries(value))
        if (typeof inner === "object" && inner !== null)
          places.push({ value: inner, pointer: `${pointer}/${escaped(key)}` });
    }
    this.#named = named;
    return named;
  }
}

function partAt(schema: unknown, pointer: string): Part | undefined {
  return isRecord(schema) ? { schema, pointer } : undefined;
}

function namesOf({ $id, $anchor, $dynamicAnchor }: JsonSchema): readonly string[] {
  const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === "string");
  return [...(typeof $id === "string" ? [$id] : []), ...anchors.map((name) => `#${name}`)];
}

function escaped(key: string): string {
  const pointed = key.replaceAll("~", "~0").replaceAll("/", "~1");
  try {
    return encodeURIComponent(pointed);
  } catch {
    // Half a surrogate pair: no compiler finds it, so nothing is known to fit there.
    return pointed;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
