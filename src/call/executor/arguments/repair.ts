import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../../../contract/tool.ts";
import { isInexact, parseExact } from "../../../lib/exact-json.ts";
import { isRecord, measureJson } from "../../../lib/json.ts";
import { type FitsPart, type Part, SchemaParts } from "../../../lib/schema/schema-parts.ts";

/** How deep arguments may nest, counting JSON texts in them that are parsed. */
export const MAX_DEPTH = 200;
/** How many references and branches are followed for one value. */
const MAX_HOPS = 32;
/** The costs of guesses: writing a number as text, wrapping a lone value into a list. Parsing a text costs 1. */
const WRITE_COST = 10_000;
const WRAP_COST = 100_000;
/** Per repair: each check asks the compiled schema about a part of the arguments. */
const MAX_CHECKS = 5_000;

/**
 * Changes arguments into what the schema wants where a model wrote them slightly differently: `"5"` for 5, `"true"` for
 * true, a JSON text for an array or object, a lone value for a list of one, null for an optional left out. Values that
 * already fit, or that cannot be repaired, are returned unchanged. An integer too large for JavaScript stays a text.
 */
export function repair(schema: JsonSchema, value: unknown, fits: FitsPart): unknown {
  return new Repair(schema, fits).repairAt(new SchemaParts(schema).root, value, { depth: 0, hops: 0 });
}

interface Position {
  /** Nesting depth of the value in the arguments. */
  readonly depth: number;
  /** How many parts of the schema led to this one for the same value. */
  readonly hops: number;
}

class Repair {
  readonly #parts: SchemaParts;
  readonly #fits: FitsPart;
  #changes = 0;
  #checks = 0;

  constructor(schema: JsonSchema, fits: FitsPart) {
    this.#parts = new SchemaParts(schema);
    this.#fits = fits;
  }

  repairAt(part: Part | undefined, given: unknown, position: Position): unknown {
    if (!part || position.hops > MAX_HOPS || position.depth > MAX_DEPTH) return given;
    const parts = this.#parts;
    const hop = { ...position, hops: position.hops + 1 };
    let value = this.#coerce(part, given, position);
    value = this.repairAt(parts.referredTo(part), value, hop);
    for (const each of parts.listed(part, "allOf")) value = this.repairAt(each, value, hop);
    value = this.#choose(part, "anyOf", value, hop);
    value = this.#choose(part, "oneOf", value, hop);
    if (Array.isArray(value)) value = this.#repairItems(part, value, position);
    else if (isRecord(value)) value = this.#repairProperties(part, value, position);
    return this.#repairConditional(part, value, hop);
  }

  /** Coerces by the types and allowed values that the part itself states. */
  #coerce(part: Part, value: unknown, position: Position): unknown {
    const { schema } = part;
    const types = typesOf(schema);
    if (types.size === 0) return value;
    const isAllowed = (candidate: unknown) => types.has(typeOf(candidate)) && isListed(schema, candidate);
    if (isAllowed(value)) return this.#tryOtherReading(part, types, value, position);
    const members = membersOf(schema);
    const read = members
      ? members.find((member) => means(value, member, position))
      : readings(value, position).find(isAllowed);
    // Null is a valid reading.
    const candidate = read === undefined && !members ? wrap(value, types) : read;
    if (candidate === undefined) return value;
    this.#changes += read === undefined ? WRAP_COST : typeof value === "string" ? 1 : WRITE_COST;
    return candidate;
  }

  /** Handles a text where texts are allowed, but not this one: `{"type": ["string", "integer"], "pattern": "^x"}`. */
  #tryOtherReading(part: Part, types: ReadonlySet<string>, value: unknown, position: Position): unknown {
    if (typeof value !== "string" || types.size === 1) return value;
    const others = readings(value, position).filter(
      (each) => typeof each !== "string" && types.has(typeOf(each)),
    );
    if (others.length === 0 || this.#isFitting(part, value)) return value;
    const hop = { ...position, hops: position.hops + 1 };
    const before = this.#changes++;
    const other = this.repairAt(part, others[0], hop);
    if (this.#isFitting(part, other)) return other;
    this.#changes = before;
    return value;
  }

  /** Takes the branch that the value fits once repaired; of several, the one that changes least. */
  #choose(part: Part, keyword: "anyOf" | "oneOf", value: unknown, position: Position): unknown {
    const branches = this.#parts.listed(part, keyword);
    if (branches.length === 0) return value;
    const pointers = branches.map((_, index) => `${part.pointer}/${keyword}/${index}`);
    const isRight = (candidate: unknown) => {
      const count = pointers.filter((pointer) => this.#fitsAt(pointer, candidate)).length;
      return keyword === "anyOf" ? count > 0 : count === 1;
    };
    if (isRight(value)) return value;
    const before = this.#changes;
    const repaired = branches.flatMap((branch) => {
      const candidate = this.repairAt(branch, value, position);
      const changes = this.#changes - before;
      this.#changes = before;
      return changes > 0 ? [{ candidate, changes }] : [];
    });
    const best = repaired
      .filter(({ candidate }) => isRight(candidate))
      .sort((a, b) => a.changes - b.changes)[0];
    // Where no branch is right, the only one that could be repaired explains best what is wrong.
    const choice = best ?? (repaired.length === 1 ? repaired[0] : undefined);
    if (!choice) return value;
    this.#changes += choice.changes;
    return choice.candidate;
  }

  #repairItems(part: Part, value: readonly unknown[], { depth }: Position): unknown {
    const parts = this.#parts;
    const first = parts.listed(part, Array.isArray(part.schema.items) ? "items" : "prefixItems");
    const rest =
      parts.under(part, "items") ??
      parts.under(part, "additionalItems") ??
      parts.under(part, "unevaluatedItems");
    if (first.length === 0 && !rest) return value;
    const inside = { depth: depth + 1, hops: 0 };
    return value.map((item, index) =>
      this.repairAt(index < first.length ? first[index] : rest, item, inside),
    );
  }

  #repairProperties(part: Part, value: Record<string, unknown>, { depth }: Position): unknown {
    const { required } = part.schema;
    const patterns = patternsOf(part.schema);
    const inside = { depth: depth + 1, hops: 0 };
    const repaired = Object.entries(value).flatMap(([key, item]) => {
      if (item === null && this.#isLeftOut(part, key, required)) {
        this.#changes++;
        return [];
      }
      const fixed = this.#partsFor(part, key, patterns).reduce(
        (current: unknown, each) => this.repairAt(each, current, inside),
        item,
      );
      return [[key, fixed] as const];
    });
    // Not by assignment: `__proto__` is a key like any other.
    return Object.fromEntries(repaired);
  }

  /** The parts that constrain a property. */
  #partsFor(part: Part, key: string, patterns: readonly Pattern[]): readonly (Part | undefined)[] {
    const parts = this.#parts;
    const matching = patterns.filter(({ matches }) => matches(key));
    const isNamed = isRecord(part.schema.properties) && Object.hasOwn(part.schema.properties, key);
    if (!isNamed && matching.length === 0)
      return [parts.under(part, "additionalProperties") ?? this.#unevaluated(part, key)];
    const named = parts.under(part, "properties", key);
    return [named, ...matching.map(({ source }) => parts.under(part, "patternProperties", source))];
  }

  #unevaluated(part: Part, key: string): Part | undefined {
    const rest = this.#parts.under(part, "unevaluatedProperties");
    return rest && !this.#isEvaluated(part, key, 0) ? rest : undefined;
  }

  /** Whether a part besides this one constrains a property. */
  #isEvaluated(part: Part, key: string, hops: number): boolean {
    if (hops > MAX_HOPS) return true;
    const parts = this.#parts;
    const siblings = [
      parts.referredTo(part),
      ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => parts.listed(part, keyword)),
      ...["then", "else"].map((keyword) => parts.under(part, keyword)),
    ];
    return siblings.some((each) => {
      if (!each) return false;
      const { properties } = each.schema;
      const isNamed = isRecord(properties) && Object.hasOwn(properties, key);
      const isMatched = patternsOf(each.schema).some(({ matches }) => matches(key));
      return isNamed || isMatched || this.#isEvaluated(each, key, hops + 1);
    });
  }

  /** Null for an optional property that does not accept null means that it was left out. */
  #isLeftOut(part: Part, key: string, required: unknown): boolean {
    if (Array.isArray(required) && required.includes(key)) return false;
    const property = this.#parts.under(part, "properties", key);
    return property !== undefined && !this.#fitsAt(property.pointer, null);
  }

  #repairConditional(part: Part, given: unknown, position: Position): unknown {
    const parts = this.#parts;
    let value = given;
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const { [keyword]: dependent } = part.schema;
      if (!isRecord(dependent)) continue;
      for (const key of Object.keys(dependent))
        if (isRecord(value) && Object.hasOwn(value, key))
          value = this.repairAt(parts.under(part, keyword, key), value, position);
    }
    if (part.schema.if === undefined) return value;
    const branch = this.#fitsAt(`${part.pointer}/if`, value) ? "then" : "else";
    return this.repairAt(parts.under(part, branch), value, position);
  }

  #isFitting({ pointer }: Part, value: unknown): boolean {
    return this.#fitsAt(pointer, value);
  }

  #fitsAt(pointer: string, value: unknown): boolean {
    return ++this.#checks <= MAX_CHECKS && this.#fits(pointer, value);
  }
}

/** What else a text may have been meant as, in the order in which it is tried. */
function readings(value: unknown, { depth }: Position): readonly unknown[] {
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "string") return [];
  const read = readJson(value, depth);
  if (read === undefined) return [];
  // A JSON text inside a JSON text: first the inner text itself, then what it contains.
  return typeof read === "string" ? [read, ...readings(read, { depth: depth + 1, hops: 0 })] : [read];
}

function readJson(given: string, depth: number): unknown {
  const text = given.trim();
  if (depth > MAX_DEPTH || isInexact(text)) return undefined;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  try {
    const value = parseExact(text);
    return measureJson(value, MAX_DEPTH - depth).tooDeep ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Wraps a lone value into a list of one, where lists are allowed. */
function wrap(value: unknown, types: ReadonlySet<string>): unknown {
  return types.has("array") && value !== null && value !== undefined && !Array.isArray(value)
    ? [value]
    : undefined;
}

/** The JSON types that a part states; empty where it states none. */
function typesOf({ type, enum: values, const: value }: JsonSchema): Set<string> {
  const stated: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const types = new Set<string>(stated.filter((each) => typeof each === "string"));
  if (type === undefined && Array.isArray(values)) for (const each of values) types.add(typeOf(each));
  else if (type === undefined && value !== undefined) types.add(typeOf(value));
  // JSON has no integers of its own: 5.0 and 5 are the same number.
  if (types.has("number")) types.add("integer");
  return types;
}

/** The values that a part allows, where it lists them. */
function membersOf({ enum: values, const: only }: JsonSchema): readonly unknown[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : undefined;
}

function isListed(schema: JsonSchema, value: unknown): boolean {
  return membersOf(schema)?.some((member) => isDeepStrictEqual(member, value)) ?? true;
}

/** Whether a value equals the member once the JSON texts in it are parsed. */
function means(value: unknown, member: unknown, position: Position): boolean {
  if (isDeepStrictEqual(value, member)) return true;
  if (typeof value === "number") return String(value) === member;
  if (readings(value, position).some((reading) => means(reading, member, position))) return true;
  if (Array.isArray(value) && Array.isArray(member))
    return value.length === member.length && value.every((item, at) => means(item, member[at], position));
  if (!isRecord(value) || !isRecord(member)) return false;
  const keys = Object.keys(member);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && means(value[key], member[key], position))
  );
}

interface Pattern {
  readonly source: string;
  readonly matches: (key: string) => boolean;
}

/** An invalid regular expression matches nothing: the schema did not compile with it either. */
function patternsOf({ patternProperties }: JsonSchema): readonly Pattern[] {
  if (!isRecord(patternProperties)) return [];
  return Object.keys(patternProperties).flatMap((source) => {
    try {
      const expression = new RegExp(source, "u");
      return [{ source, matches: (key) => expression.test(key) }];
    } catch {
      return [];
    }
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
