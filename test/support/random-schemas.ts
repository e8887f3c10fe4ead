import type { JsonSchema } from "../../src/contract/tool.ts";
import type { Dice } from "./dice.ts";

/** A value, and the same with some of its parts written as JSON texts. */
export interface Written {
  readonly value: unknown;
  readonly written: unknown;
}

/** A schema, and values that fit it. */
interface Generated {
  readonly schema: JsonSchema;
  /** Of the JSON type, where a union has to tell it from others. */
  readonly type: string;
  readonly make: () => Written;
}

/** Schemas of every form, with values that fit them; a text never stands where it could be meant as such. */
export class RandomSchemas {
  readonly #dice: Dice;
  readonly #defs: Record<string, JsonSchema> = {};

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** For a tool's arguments. */
  arguments(): { readonly schema: JsonSchema; readonly make: () => Written } {
    const { schema, make } = this.#object(3);
    const whole = { ...schema, $defs: this.#defs };
    return { schema: whole, make: () => this.#never(make) };
  }

  /** The arguments themselves are an object, never a text. */
  #never(make: () => Written): Written {
    for (;;) {
      const made = make();
      if (typeof made.written !== "string") return made;
    }
  }

  #any(depth: number): Generated {
    const leaves = [
      () => this.#leaf("integer", () => this.#dice.below(2_000) - 1_000),
      () => this.#leaf("number", () => this.#dice.below(1_000_000) / 64 + 1 / 128),
      () => this.#leaf("boolean", () => this.#dice.chance(0.5)),
      () => this.#leaf("null", () => null),
      () => this.#text(),
      () => this.#listed(),
    ];
    const nested = [
      () => this.#array(depth - 1),
      () => this.#tuple(depth - 1),
      () => this.#object(depth - 1),
      () => this.#map(depth - 1),
      () => this.#discriminated(depth - 1),
      () => this.#union(depth - 1),
      () => this.#together(depth - 1),
      () => this.#conditional(depth - 1),
      () => this.#reference(depth - 1),
    ];
    return this.#dice.one(depth <= 0 ? leaves : [...leaves, ...nested, ...nested])();
  }

  #leaf(type: string, value: () => unknown): Generated {
    return { schema: { type }, type, make: () => this.#written(value()) };
  }

  /** Texts that look like other things are texts all the same. */
  #text(): Generated {
    const texts = ["5", "true", "[1]", '{"a":1}', "plain", "", "null", "9007199254740993"];
    const make = () => this.#asIs(this.#dice.one(texts));
    return { schema: { type: "string" }, type: "string", make };
  }

  #listed(): Generated {
    const values = [1, 2.5, true, null, [1, "a"], { a: [2] }].filter(() => this.#dice.chance(0.7));
    const all = [...values, 7];
    const chosen = this.#dice.one(all);
    const schema = this.#dice.chance(0.5) ? { enum: ["word", ...all] } : { const: chosen };
    const make = () => this.#written("const" in schema ? chosen : this.#dice.one(all));
    return { schema, type: "listed", make };
  }

  #array(depth: number): Generated {
    const items = this.#any(depth);
    const make = () => this.#list(Array.from({ length: this.#dice.below(4) }, () => items.make()));
    return { schema: { type: "array", items: items.schema }, type: "array", make };
  }

  #tuple(depth: number): Generated {
    const first = [this.#any(depth), this.#any(depth)];
    const rest = this.#any(depth);
    const schema = { type: "array", prefixItems: first.map((each) => each.schema), items: rest.schema };
    const make = () =>
      this.#list([
        ...first.map((each) => each.make()),
        ...Array.from({ length: this.#dice.below(3) }, () => rest.make()),
      ]);
    return { schema, type: "array", make };
  }

  #object(depth: number): Generated {
    const properties = this.#properties(depth);
    const extra = this.#any(depth);
    const isOpen = this.#dice.chance(0.5);
    const schema = {
      type: "object",
      properties: schemasOf(properties),
      ...(isOpen && { additionalProperties: extra.schema }),
    };
    const make = () => {
      const entries = this.#entries(properties);
      if (isOpen) entries.push([`x${this.#dice.below(9)}`, extra.make()]);
      return this.#record(entries);
    };
    return { schema, type: "object", make };
  }

  #map(depth: number): Generated {
    const [one, other] = [this.#any(depth), this.#any(depth)];
    const schema = { type: "object", patternProperties: { "^a_": one.schema, "^b/~": other.schema } };
    const make = () =>
      this.#record([
        [`a_${this.#dice.below(9)}`, one.make()],
        [`b/~${this.#dice.below(9)}`, other.make()],
      ]);
    return { schema, type: "object", make };
  }

  /** Objects that a `kind` tells apart. */
  #discriminated(depth: number): Generated {
    const branches = ["p", "q", "r"].map((kind) => ({ kind, properties: this.#properties(depth) }));
    const schemas = branches.map(({ kind, properties }) => ({
      type: "object",
      properties: { kind: { const: kind }, ...schemasOf(properties) },
      required: ["kind"],
    }));
    const schema = this.#dice.chance(0.5) ? { anyOf: schemas } : { oneOf: schemas };
    const make = () => {
      const { kind, properties } = this.#dice.one(branches);
      return this.#record([["kind", this.#asIs(kind)], ...this.#entries(properties)]);
    };
    return { schema, type: "object", make };
  }

  /** Values that their types tell apart, and texts that begin with an x. */
  #union(depth: number): Generated {
    const kinds = [
      this.#leaf("integer", () => this.#dice.below(100)),
      this.#leaf("boolean", () => this.#dice.chance(0.5)),
      this.#array(depth),
      this.#object(depth),
    ];
    const branches = kinds.filter(() => this.#dice.chance(0.7));
    const chosen = branches.length > 0 ? branches : kinds;
    const schemas = [{ type: "string", pattern: "^x" }, ...chosen.map((each) => each.schema)];
    const schema = this.#dice.chance(0.5) ? { anyOf: schemas } : { oneOf: schemas };
    return { schema, type: "union", make: () => this.#dice.one(chosen).make() };
  }

  #together(depth: number): Generated {
    const [one, other] = [this.#properties(depth, "c"), this.#properties(depth, "d")];
    const schema = {
      type: "object",
      allOf: [{ properties: schemasOf(one) }, { properties: schemasOf(other) }],
    };
    const make = () => this.#record([...this.#entries(one), ...this.#entries(other)]);
    return { schema, type: "object", make };
  }

  #conditional(depth: number): Generated {
    const [yes, no] = [this.#properties(depth, "y"), this.#properties(depth, "n")];
    const branches = new Map<string, JsonSchema>([
      ["if", { properties: { kind: { const: "yes" } } }],
      ["then", { properties: schemasOf(yes) }],
      ["else", { properties: schemasOf(no) }],
    ]);
    const schema = { type: "object", required: ["kind"], ...Object.fromEntries(branches) };
    const make = () => {
      const isYes = this.#dice.chance(0.5);
      return this.#record([["kind", this.#asIs(isYes ? "yes" : "no")], ...this.#entries(isYes ? yes : no)]);
    };
    return { schema, type: "object", make };
  }

  #reference(depth: number): Generated {
    const { schema, type, make } = this.#any(depth);
    const name = `d/${Object.keys(this.#defs).length}~`;
    this.#defs[name] = schema;
    const $ref = `#/$defs/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return { schema: this.#dice.chance(0.5) ? { $ref } : { $ref, description: "A part." }, type, make };
  }

  #properties(depth: number, prefix = "p"): ReadonlyMap<string, Generated> {
    const count = 1 + this.#dice.below(3);
    return new Map(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, this.#any(depth)]));
  }

  #entries(properties: ReadonlyMap<string, Generated>): [string, Written][] {
    return [...properties]
      .filter(() => this.#dice.chance(0.8))
      .map(([name, { make }]) => [name, make()] as [string, Written]);
  }

  #list(items: readonly Written[]): Written {
    return this.#both(
      items.map(({ value }) => value),
      items.map(({ written }) => written),
    );
  }

  #record(entries: readonly (readonly [string, Written])[]): Written {
    return this.#both(
      Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      Object.fromEntries(entries.map(([key, { written }]) => [key, written])),
    );
  }

  #both(value: unknown, written: unknown): Written {
    if (!this.#dice.chance(0.3)) return { value, written };
    return { value, written: this.#dice.one(["", " "]) + JSON.stringify(written) };
  }

  #written(value: unknown): Written {
    return this.#both(value, value);
  }

  #asIs(value: unknown): Written {
    return { value, written: value };
  }
}

function schemasOf(properties: ReadonlyMap<string, Generated>): Record<string, JsonSchema> {
  return Object.fromEntries([...properties].map(([name, { schema }]) => [name, schema]));
}
