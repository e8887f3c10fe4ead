import { createContext, Script } from "node:vm";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft04 from "ajv-draft-04";
import formats from "ajv-formats";
import type { JsonSchema } from "../json.ts";
import { err, ok, type Result } from "../result.ts";
import { type Extent, SchemaCost } from "./schema-cost.ts";
import type { FitsPart } from "./schema-parts.ts";

/** Returns the problems of a value; none if it fits. */
export type Check = (value: unknown) => readonly ErrorObject[];

type AnyAjv = {
  compile(schema: object): ValidateFunction;
  addSchema(schema: object, key: string): unknown;
};
const NO_PROBLEMS: readonly ErrorObject[] = [];
const FITS_NOTHING = (): boolean => false;

/** How long compiling a schema, and checking the arguments of a call, may block everything else. */
const LIMITS = { compileMs: 500, checkMs: 200 };
/** The most parts of a schema that are compiled separately. Only a hostile schema needs more. */
const MAX_PARTS = 200;
/** The id of a schema while its parts are compiled. */
const WHOLE = "https://schema.invalid/whole";
/** The owner of an input schema. Its name is for reports. */
export interface WithSchema {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

interface Compiled {
  readonly check: Check;
  readonly cost: SchemaCost;
}

/**
 * Compiles schemas on first use and forgets them together with the schema. A schema that does not compile, or not in
 * time, accepts every object and is reported once. Compiling and checking are limited in time: strangers write schemas,
 * and everything else waits meanwhile.
 */
export class Schemas {
  readonly #onBroken: (name: string, message: string) => void;
  readonly #compiled = new WeakMap<JsonSchema, Compiled>();
  readonly #broken = new WeakMap<JsonSchema, string>();
  readonly #parts = new WeakMap<JsonSchema, FitsPart>();
  readonly #timeLimit = new TimeLimit();
  readonly #limits: typeof LIMITS;

  constructor(onBroken: (name: string, message: string) => void, limits = LIMITS) {
    this.#onBroken = onBroken;
    this.#limits = limits;
  }

  /**
   * True if a value of that extent can be checked quickly and fits; false if it does not fit or the check may take
   * longer.
   */
  fitsAtOnce(owner: WithSchema, extent: Extent, value: unknown): boolean {
    const { check, cost } = this.#get(owner);
    return cost.isSmallFor(extent) && check(value).length === 0;
  }

  /**
   * Runs `work` with the check for a value of that extent, with a time limit if it could take long: the limit costs
   * twenty times as much as most checks.
   */
  within<T>(owner: WithSchema, extent: Extent, work: (check: Check) => T): Result<T, "timed_out"> {
    const { check, cost } = this.#get(owner);
    if (cost.isSmallFor(extent)) return ok(work(check));
    return this.#timeLimit.run(this.#limits.checkMs, () => work(check));
  }

  /** Checks whether values fit parts of a schema. Parts are compiled on first use. */
  partsOf({ inputSchema }: WithSchema): FitsPart {
    const known = this.#parts.get(inputSchema) ?? this.#fitsPart(inputSchema);
    this.#parts.set(inputSchema, known);
    return known;
  }

  #fitsPart(schema: JsonSchema): FitsPart {
    const parts = new Map<string, (value: unknown) => boolean>();
    let compiler: AnyAjv | undefined;
    const compilePart = (pointer: string) => {
      try {
        compiler ??= wholeIn(schema);
        const whole = compiler;
        const compiled = this.#timeLimit.run(this.#limits.compileMs, () =>
          whole.compile({ $ref: `${WHOLE}#${pointer}` }),
        );
        return compiled.ok ? compiled.value : FITS_NOTHING;
      } catch {
        return FITS_NOTHING;
      }
    };
    return (pointer, value) => {
      const known = parts.get(pointer) ?? (parts.size < MAX_PARTS ? compilePart(pointer) : FITS_NOTHING);
      if (parts.size < MAX_PARTS) parts.set(pointer, known);
      try {
        return known(value);
      } catch {
        return false;
      }
    };
  }

  /** Returns why every object is accepted, once the schema was compiled; undefined if it is checked normally. */
  problemOf(owner: WithSchema): string | undefined {
    this.#get(owner);
    return this.#broken.get(owner.inputSchema);
  }

  #get(owner: WithSchema): Compiled {
    const known = this.#compiled.get(owner.inputSchema);
    if (known) return known;
    const compiled = this.#compile(owner);
    this.#compiled.set(owner.inputSchema, compiled);
    return compiled;
  }

  #compile(owner: WithSchema): Compiled {
    const schema = owner.inputSchema;
    try {
      const compiled = this.#timeLimit.run(this.#limits.compileMs, () => compile(schema));
      if (!compiled.ok) throw new Error(`compiling it takes longer than ${this.#limits.compileMs} ms`);
      return { check: this.#untilItFails(owner, compiled.value), cost: new SchemaCost(schema) };
    } catch (error) {
      this.#report(owner, messageOf(error));
      return { check: () => NO_PROBLEMS, cost: new SchemaCost({}) };
    }
  }

  /** A schema that refers to itself without end compiles, and fails only when it is used. */
  #untilItFails(owner: WithSchema, check: Check): Check {
    let failed = false;
    return (value) => {
      if (failed) return NO_PROBLEMS;
      try {
        return check(value);
      } catch (error) {
        failed = true;
        this.#report(owner, messageOf(error));
        return NO_PROBLEMS;
      }
    };
  }

  #report({ name, inputSchema }: WithSchema, message: string): void {
    this.#broken.set(inputSchema, message);
    this.#onBroken(name, message);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function compile(schema: JsonSchema): Check {
  const { compiler, rest } = compilerFor(schema, true);
  const validate = compiler.compile(rest);
  return (value) => (validate(value) ? NO_PROBLEMS : [...(validate.errors ?? [])]);
}

/** Creates a compiler that knows the schema as `WHOLE` and stops at the first problem. */
function wholeIn(schema: JsonSchema): AnyAjv {
  const { compiler, rest } = compilerFor(schema, false);
  compiler.addSchema(rest, WHOLE);
  return compiler;
}

/** Each schema gets its own compiler, because an `$id` is global in a compiler and two schemas may use the same one. */
function compilerFor(schema: JsonSchema, allErrors: boolean): { compiler: AnyAjv; rest: JsonSchema } {
  const { $id: _, $schema: dialect, id: __, ...rest } = schema;
  // Loading the meta-schemas doubles the cost of a compiler, and hardly any schema refers to them.
  const meta = JSON.stringify(rest).includes("json-schema.org");
  return { compiler: newCompiler(dialectOf(dialect), meta, allErrors), rest };
}

type Dialect = "draft-04" | "draft-07" | "2019-09" | "2020-12";

function dialectOf(uri: unknown): Dialect {
  if (typeof uri !== "string") return "2020-12";
  if (uri.includes("draft-04")) return "draft-04";
  if (uri.includes("draft-06") || uri.includes("draft-07")) return "draft-07";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

function newCompiler(dialect: Dialect, meta: boolean, allErrors: boolean): AnyAjv {
  // Schemas of strangers may contain unknown keywords and formats, which are not errors.
  const options = {
    strict: false,
    allErrors,
    logger: false,
    validateSchema: false,
    meta,
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

/**
 * Runs synchronous work and interrupts it, even inside a regular expression, when it takes too long. Only for work that
 * may stay half done: whatever it was changing stays in that state.
 */
class TimeLimit {
  readonly #script = new Script("work()");
  readonly #context: { work: (() => unknown) | undefined } = { work: undefined };

  constructor() {
    createContext(this.#context);
  }

  run<T>(ms: number, work: () => T): Result<T, "timed_out"> {
    this.#context.work = work;
    try {
      return ok(this.#script.runInContext(this.#context, { timeout: ms }) as T);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return err("timed_out");
      throw error;
    } finally {
      this.#context.work = undefined;
    }
  }
}
