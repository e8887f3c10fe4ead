import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { allComponents } from "../../src/surfaces/api/components.ts";

/**
 * Compares answers with the schemas that describe them, both ways: what a schema does not name is reported too, though
 * the published schemas leave room for it.
 */
export class AnswerSchemas {
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor() {
    this.#ajv.addVocabulary(["components"]);
  }

  /** What of the answer does not fit; undefined when it fits. */
  mismatch(schema: unknown, answer: unknown): string | undefined {
    const key = JSON.stringify(schema);
    const validate =
      this.#compiled.get(key) ??
      this.#ajv.compile({ ...(closed(schema) as object), components: { schemas: closed(allComponents()) } });
    this.#compiled.set(key, validate);
    // As it is on the wire: a property that is undefined is none.
    if (validate(JSON.parse(JSON.stringify(answer)))) return undefined;
    return `${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(answer)?.slice(0, 500)}`;
  }
}

/** The same schema without room for more properties than it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isShape = inner.type === "object" && typeof inner.properties === "object";
  const isNullable = Array.isArray(inner.type) && typeof inner.properties === "object";
  return isShape || isNullable ? { additionalProperties: false, ...inner } : inner;
}
