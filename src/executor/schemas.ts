import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import formats from "ajv-formats";
import { messageOf } from "../errors.ts";
import type { JsonSchema } from "../tool.ts";

/** Problems of a value, or none when it fits. */
export type Check = (value: unknown) => readonly ErrorObject[];

type AnyAjv = { compile(schema: object): ValidateFunction };

/**
 * Compiled schemas: one shared compiler per dialect, each schema compiled when it is first needed and forgotten
 * with its tool. A schema that does not compile lets every object through and is reported once.
 */
export class Schemas {
  readonly #onBroken: (schema: JsonSchema, message: string) => void;
  readonly #compilers = new Map<string, AnyAjv>();
  readonly #checks = new WeakMap<JsonSchema, Check>();

  constructor(onBroken: (schema: JsonSchema, message: string) => void) {
    this.#onBroken = onBroken;
  }

  check(schema: JsonSchema): Check {
    const known = this.#checks.get(schema);
    if (known) return known;
    const check = this.#compile(schema);
    this.#checks.set(schema, check);
    return check;
  }

  #compile(schema: JsonSchema): Check {
    try {
      // `$id` would register the schema in the shared compiler: two servers may use the same one.
      const { $id: _, $schema: dialect, id: __, ...rest } = schema;
      const validate = this.#compiler(dialect).compile(rest);
      return (value) => (validate(value) ? [] : [...(validate.errors ?? [])]);
    } catch (error) {
      this.#onBroken(schema, messageOf(error));
      return () => [];
    }
  }

  #compiler(dialect: unknown): AnyAjv {
    const name = dialectOf(dialect);
    const known = this.#compilers.get(name);
    if (known) return known;
    const compiler = newCompiler(name);
    this.#compilers.set(name, compiler);
    return compiler;
  }
}

type Dialect = "draft-04" | "draft-07" | "2019-09" | "2020-12";

function dialectOf(uri: unknown): Dialect {
  if (typeof uri !== "string") return "2020-12";
  if (uri.includes("draft-04")) return "draft-04";
  if (uri.includes("draft-06") || uri.includes("draft-07")) return "draft-07";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

function newCompiler(dialect: Dialect): AnyAjv {
  // Servers write keywords and formats of their own; those are theirs, not errors. `addUsedSchema` off: nothing
  // of one server's schema may be visible to another's.
  const options = {
    strict: false,
    allErrors: true,
    logger: false,
    addUsedSchema: false,
    validateSchema: false,
  } as const;
  const ajv =
    dialect === "draft-04"
      ? new draft04.default(options)
      : dialect === "2019-09"
        ? new Ajv2019(options)
        : dialect === "2020-12"
          ? new Ajv2020(options)
          : new Ajv(options);
  formats.default(ajv as Ajv);
  return ajv;
}
