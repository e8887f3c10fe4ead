import { isRecord, type JsonExtent, type JsonSchema } from "../json.ts";
import { patternCost } from "./pattern-cost.ts";

export type Extent = Pick<JsonExtent, "size" | "chars" | "longest">;

/** Steps of a check, each between some nanoseconds and a microsecond, that are allowed without a time limit. */
const FEW_STEPS = 50_000;
/** Steps of regular expressions, each a few nanoseconds. */
const FEW_MATCHES = 1_000_000;
/** Characters that are measured or compared in the time of one step. */
const CHARS_A_STEP = 50;

/** Formats that `ajv-formats` reads once from start to end. Others may read each character several times. */
const READ_ONCE = /^(?:(?:iso-)?(?:date|time|date-time)|uuid|byte|u?int\d+|float|double|password|binary)$/;
/** Keywords whose cost cannot be derived from the schema alone. */
const NOT_KNOWN = new Set(["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"]);

/**
 * An upper bound for the cost of checking a value, computed from the schema once: every part, expanded wherever it is
 * referenced, for every value. Servers write schemas, and a few lines can require more time than any machine has.
 */
export class SchemaCost {
  readonly #cost: Cost | undefined;

  constructor(schema: JsonSchema) {
    // Definitions are counted where they are referenced.
    const { $id: _, id: __, $defs: ___, definitions: ____, ...own } = schema;
    this.#cost = new Walk(schema).of(own);
  }

  /** True if a value of that size is checked quickly, whatever it contains. */
  isSmallFor({ size, chars, longest }: Extent): boolean {
    const cost = this.#cost;
    if (!cost) return false;
    const steps = size + chars / CHARS_A_STEP;
    if (cost.parts * steps * (cost.compares ? steps : 1) > FEW_STEPS) return false;
    let matches = 0;
    for (let degree = 1; degree < cost.branches.length; degree++)
      matches += cost.branches[degree]! * (chars + 1) * longest ** (degree - 1);
    return matches <= FEW_MATCHES;
  }
}

interface Cost {
  readonly parts: number;
  /** The branches of all regular expressions, by degree (see `patternCost`). */
  readonly branches: readonly number[];
  /** Items are compared with each other. */
  readonly compares: boolean;
}

/** A schema with more parts counts as too expensive. */
const MAX_PARTS = FEW_STEPS;
const MAX_DEPTH = 500;

class Walk {
  readonly #root: JsonSchema;
  readonly #known = new Map<object, Cost | undefined>();
  #depth = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** Undefined if the cost is unknown or too high. */
  of(value: unknown): Cost | undefined {
    if (typeof value !== "object" || value === null) return SCALAR;
    // A part that is still being computed refers to itself, so its cost depends on the value.
    if (this.#known.has(value) || this.#depth > MAX_DEPTH) return this.#known.get(value);
    this.#known.set(value, undefined);
    this.#depth++;
    const cost = this.#sum(value);
    this.#depth--;
    this.#known.set(value, cost);
    return cost;
  }

  #sum(value: object): Cost | undefined {
    let sum: Cost | undefined = SCALAR;
    const isSchema = isRecord(value);
    for (const key of Object.keys(value)) {
      const inner = (value as Record<string, unknown>)[key];
      sum = together(sum, isSchema ? this.#keyword(key, inner) : this.of(inner));
      if (!sum) return undefined;
    }
    return sum;
  }

  /** A property may have the name of a keyword and hold another kind of value. It is counted all the same. */
  #keyword(key: string, value: unknown): Cost | undefined {
    if (NOT_KNOWN.has(key)) return undefined;
    if (key === "$ref" && typeof value === "string") return this.#referredTo(value);
    // If a part has its own `$id`, the meaning of references depends on it.
    if ((key === "$id" || key === "id") && typeof value === "string") return undefined;
    if (key === "format" && typeof value === "string") return matching(1, READ_ONCE.test(value) ? 1 : 2);
    if (key === "pattern" && typeof value === "string") return ofPattern(value);
    if (key === "uniqueItems" && value === true) return { ...SCALAR, compares: true };
    if (key !== "patternProperties" || !isRecord(value)) return this.of(value);
    let sum = this.of(value);
    for (const pattern of Object.keys(value)) sum = sum && together(sum, ofPattern(pattern));
    return sum;
  }

  #referredTo(ref: string): Cost | undefined {
    if (ref !== "#" && !ref.startsWith("#/")) return undefined;
    let target: unknown = this.#root;
    for (const part of ref.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) return undefined;
      target = (target as Record<string, unknown>)[key];
    }
    return this.of(target);
  }
}

const SCALAR: Cost = { parts: 1, branches: [], compares: false };

function matching(branches: number, degree: number): Cost {
  const byDegree = Array.from({ length: degree + 1 }, (_, index) => (index === degree ? branches : 0));
  return { ...SCALAR, branches: byDegree };
}

function ofPattern(pattern: string): Cost | undefined {
  const known = patternCost(pattern);
  return known && matching(known.branches, known.degree);
}

function together(one: Cost, other: Cost | undefined): Cost | undefined {
  if (!other || one.parts + other.parts > MAX_PARTS) return undefined;
  const [more, fewer] =
    one.branches.length < other.branches.length
      ? [other.branches, one.branches]
      : [one.branches, other.branches];
  return {
    parts: one.parts + other.parts,
    branches: fewer.length === 0 ? more : more.map((branches, degree) => branches + (fewer[degree] ?? 0)),
    compares: one.compares || other.compares,
  };
}
