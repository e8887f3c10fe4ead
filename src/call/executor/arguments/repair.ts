import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "../../../contract/tool.ts";
import { isInexact, parseExact } from "../../../lib/exact-json.ts";
import { extentOf, isRecord } from "../../../lib/json.ts";
import { type FitsPart, type Part, SchemaParts } from "../../../lib/schema/schema-parts.ts";

/** How deep arguments may nest, texts in them read. */
export const MAX_DEPTH = 200;
/** References and branches that are followed for one value. */
const MAX_HOPS = 32;
/** What a text made of a number, and a list made of a lone value, count for beside texts that were read: they are guesses. */
const WRITING = 10_000;
const WRAPPING = 100_000;
/** Of one repair: each asks the compiled schema about a part of the arguments. */
const MAX_QUESTIONS = 5_000;

/**
 * Arguments as the schema wants them where a model wrote them slightly differently: `"5"` for 5, `"true"` for
 * true, a JSON text for an array or object, a lone value for a list of one, null for an optional left out. What
 * fits already, and what cannot be helped, is returned as it came. An integer that JavaScript cannot hold stays a text.
 */
export function repair(schema: JsonSchema, value: unknown, fits: FitsPart): unknown {
  return new Repair(schema, fits).at(new SchemaParts(schema).root, value, { depth: 0, hops: 0 });
}

interface Position {
  /** Of the value in the arguments. */
  readonly depth: number;
  /** Parts of the schema that led to this one for the same value. */
  readonly hops: number;
}

class Repair {
  readonly #parts: SchemaParts;
  readonly #fits: FitsPart;
  #changes = 0;
  #questions = 0;

  constructor(schema: JsonSchema, fits: FitsPart) {
    this.#parts = new SchemaParts(schema);
    this.#fits = fits;
  }

  at(part: Part | undefined, given: unknown, position: Position): unknown {
    if (!part || position.hops > MAX_HOPS || position.depth > MAX_DEPTH) return given;
    const parts = this.#parts;
    const hop = { ...position, hops: position.hops + 1 };
    let value = this.#coerced(part, given, position);
    value = this.at(parts.referredTo(part), value, hop);
    for (const each of parts.listed(part, "allOf")) value = this.at(each, value, hop);
    value = this.#chosen(part, "anyOf", value, hop);
    value = this.#chosen(part, "oneOf", value, hop);
    if (Array.isArray(value)) value = this.#items(part, value, position);
    else if (isRecord(value)) value = this.#properties(part, value, position);
    return this.#conditional(part, value, hop);
  }

  /** By what the part itself says of types and allowed values. */
  #coerced(part: Part, value: unknown, position: Position): unknown {
    const { schema } = part;
    const types = typesOf(schema);
    if (types.size === 0) return value;
    const isAllowed = (candidate: unknown) => types.has(typeOf(candidate)) && isListed(schema, candidate);
    if (isAllowed(value)) return this.#otherReading(part, types, value, position);
    const members = membersOf(schema);
    const read = members
      ? members.find((member) => means(value, member, position))
      : readings(value, position).find(isAllowed);
    // Null is a reading.
    const candidate = read === undefined && !members ? wrapped(value, types) : read;
    if (candidate === undefined) return value;
    this.#changes += read === undefined ? WRAPPING : typeof value === "string" ? 1 : WRITING;
    return candidate;
  }

  /** A text where texts are allowed too, but not this one: `{"type": ["string", "integer"], "pattern": "^x"}`. */
  #otherReading(part: Part, types: ReadonlySet<string>, value: unknown, position: Position): unknown {
    if (typeof value !== "string" || types.size === 1) return value;
    const others = readings(value, position).filter(
      (each) => typeof each !== "string" && types.has(typeOf(each)),
    );
    if (others.length === 0 || this.#isFitting(part, value)) return value;
    const hop = { ...position, hops: position.hops + 1 };
    const before = this.#changes++;
    const other = this.at(part, others[0], hop);
    if (this.#isFitting(part, other)) return other;
    this.#changes = before;
    return value;
  }

  /** The branch that the value fits once repaired; of several the one that changes least. */
  #chosen(part: Part, keyword: "anyOf" | "oneOf", value: unknown, position: Position): unknown {
    const branches = this.#parts.listed(part, keyword);
    if (branches.length === 0) return value;
    const pointers = branches.map((_, index) => `${part.pointer}/${keyword}/${index}`);
    const isRight = (candidate: unknown) => {
      const count = pointers.filter((pointer) => this.#asks(pointer, candidate)).length;
      return keyword === "anyOf" ? count > 0 : count === 1;
    };
    if (isRight(value)) return value;
    const before = this.#changes;
    const repaired = branches.flatMap((branch) => {
      const candidate = this.at(branch, value, position);
      const changes = this.#changes - before;
      this.#changes = before;
      return changes > 0 ? [{ candidate, changes }] : [];
    });
    const best = repaired
      .filter(({ candidate }) => isRight(candidate))
      .sort((a, b) => a.changes - b.changes)[0];
    // Where none is right, the only one that could be helped says best what is wrong with it.
    const taken = best ?? (repaired.length === 1 ? repaired[0] : undefined);
    if (!taken) return value;
    this.#changes += taken.changes;
    return taken.candidate;
  }

  #items(part: Part, value: readonly unknown[], { depth }: Position): unknown {
    const parts = this.#parts;
    const first = parts.listed(part, Array.isArray(part.schema.items) ? "items" : "prefixItems");
    const rest =
      parts.under(part, "items") ??
      parts.under(part, "additionalItems") ??
      parts.under(part, "unevaluatedItems");
    if (first.length === 0 && !rest) return value;
    const inside = { depth: depth + 1, hops: 0 };
    return value.map((item, index) => this.at(index < first.length ? first[index] : rest, item, inside));
  }

  #properties(part: Part, value: Record<string, unknown>, { depth }: Position): unknown {
    const { required } = part.schema;
    const patterns = patternsOf(part.schema);
    const inside = { depth: depth + 1, hops: 0 };
    const repaired = Object.entries(value).flatMap(([key, item]) => {
      if (item === null && this.#isAbsent(part, key, required)) {
        this.#changes++;
        return [];
      }
      const fixed = this.#about(part, key, patterns).reduce(
        (current: unknown, each) => this.at(each, current, inside),
        item,
      );
      return [[key, fixed] as const];
    });
    // Not by assignment: `__proto__` is a key like any other.
    return Object.fromEntries(repaired);
  }

  /** What a part says of a property. */
  #about(part: Part, key: string, patterns: readonly Pattern[]): readonly (Part | undefined)[] {
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

  /** Whether something beside the part itself says what a property must be. */
  #isEvaluated(part: Part, key: string, hops: number): boolean {
    if (hops > MAX_HOPS) return true;
    const parts = this.#parts;
    const beside = [
      parts.referredTo(part),
      ...["allOf", "anyOf", "oneOf"].flatMap((keyword) => parts.listed(part, keyword)),
      ...["then", "else"].map((keyword) => parts.under(part, keyword)),
    ];
    return beside.some((each) => {
      if (!each) return false;
      const { properties } = each.schema;
      const isNamed = isRecord(properties) && Object.hasOwn(properties, key);
      const isMatched = patternsOf(each.schema).some(({ matches }) => matches(key));
      return isNamed || isMatched || this.#isEvaluated(each, key, hops + 1);
    });
  }

  /** Null for an optional that does not take null means that it was left out. */
  #isAbsent(part: Part, key: string, required: unknown): boolean {
    if (Array.isArray(required) && required.includes(key)) return false;
    const property = this.#parts.under(part, "properties", key);
    return property !== undefined && !this.#asks(property.pointer, null);
  }

  #conditional(part: Part, given: unknown, position: Position): unknown {
    const parts = this.#parts;
    let value = given;
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const { [keyword]: dependent } = part.schema;
      if (!isRecord(dependent)) continue;
      for (const key of Object.keys(dependent))
        if (isRecord(value) && Object.hasOwn(value, key))
          value = this.at(parts.under(part, keyword, key), value, position);
    }
    if (part.schema.if === undefined) return value;
    const branch = this.#asks(`${part.pointer}/if`, value) ? "then" : "else";
    return this.at(parts.under(part, branch), value, position);
  }

  #isFitting({ pointer }: Part, value: unknown): boolean {
    return this.#asks(pointer, value);
  }

  #asks(pointer: string, value: unknown): boolean {
    return ++this.#questions <= MAX_QUESTIONS && this.#fits(pointer, value);
  }
}

/** What else a text may have been meant as, in the order in which it is tried. */
function readings(value: unknown, { depth }: Position): readonly unknown[] {
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "string") return [];
  const read = readJson(value, depth);
  if (read === undefined) return [];
  // A text in a text: what it says counts, then what is in it.
  return typeof read === "string" ? [read, ...readings(read, { depth: depth + 1, hops: 0 })] : [read];
}

function readJson(given: string, depth: number): unknown {
  const text = given.trim();
  if (depth > MAX_DEPTH || isInexact(text)) return undefined;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  try {
    const value = parseExact(text);
    return extentOf(value, MAX_DEPTH - depth).tooDeep ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A lone value for a list of one. */
function wrapped(value: unknown, types: ReadonlySet<string>): unknown {
  return types.has("array") && value !== null && value !== undefined && !Array.isArray(value)
    ? [value]
    : undefined;
}

/** The JSON types that a part takes by itself; empty when it does not say. */
function typesOf({ type, enum: values, const: value }: JsonSchema): Set<string> {
  const said: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const types = new Set<string>(said.filter((each) => typeof each === "string"));
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

/** Whether a value is this one once the texts in it are read. */
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

/** What makes no regular expression matches nothing: the schema did not compile then, either. */
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
