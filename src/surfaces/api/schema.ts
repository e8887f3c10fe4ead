import { Ajv, type ValidateFunction } from "ajv";
import type {
  FastifySchemaCompiler,
  FastifySchemaValidationError,
  FastifySerializerCompiler,
  FastifyServerOptions,
} from "fastify";
import { DerivedSchema } from "./derived-schema.ts";

/**
 * Compiles the schemas of routes. Bodies are taken as they come, because a string where a number belongs is a
 * mistake worth reporting; query strings and paths are text by nature and are converted. Each is compiled when
 * its route is first asked for something: all of them together were a third of the time that a start took.
 */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | undefined;
  const validate = (data: unknown): boolean => {
    compiled ??= (httpPart === "body" ? bodies : texts).compile(
      schema instanceof DerivedSchema ? schema.toJSON() : schema,
    );
    const fits = compiled(data);
    // Where Fastify looks for them.
    validate.errors = compiled.errors ?? null;
    return fits;
  };
  validate.errors = null as NonNullable<ValidateFunction["errors"]> | null;
  return validate;
};

/** That the schemas are ones is tested; to look again at the first request would make it wait for 40 ms. */
const OPTIONS = { allErrors: true, strict: false, validateSchema: false };
const bodies = new Ajv(OPTIONS);
const texts = new Ajv({ ...OPTIONS, coerceTypes: true });

/**
 * Answers are written as they are. Their schemas describe them, for people and for tests; Fastify would leave out
 * whatever a schema has forgotten.
 */
export const writeJson: FastifySerializerCompiler<unknown> = () => (answer) => JSON.stringify(answer);

/** Where these are given from the beginning, Fastify does not load its own. Its types know only those. */
export const ownCompilers = {
  buildValidator: () => compileSchema,
  buildSerializer: () => writeJson,
} as unknown as NonNullable<NonNullable<FastifyServerOptions["schemaController"]>["compilersFactory"]>;

/** What a body or query lacks or has too much of. Never what it holds: that may be a secret. */
export function explainMismatch(mismatches: FastifySchemaValidationError[], part: string): Error {
  const place = part === "querystring" ? "query" : part;
  const said = mismatches.map(({ instancePath, keyword, params, message }) => {
    const at = instancePath === "" ? place : instancePath.slice(1).replaceAll("/", ".");
    if (keyword === "required") return `${at}: ${String(params.missingProperty)} is missing`;
    if (keyword === "additionalProperties") return `${at}: unknown key ${String(params.additionalProperty)}`;
    if (keyword === "enum") return `${at}: expected one of ${(params.allowedValues as unknown[]).join(", ")}`;
    return `${at}: ${message?.replace(/^must /, "expected to ") ?? "does not fit"}`;
  });
  return new Error(said.join("; "));
}

export const nameText = { type: "string", minLength: 1, maxLength: 200 } as const;

/** An object with exactly these properties, `required` ones among them. */
export function exactly(properties: Record<string, object>, required: readonly string[] = []): object {
  return { type: "object", additionalProperties: false, properties, required };
}

export const byName = exactly({ name: nameText }, ["name"]);

/** Streams of JSON, a line each. */
export const JSONL = "application/x-ndjson";
export const jsonLines = { 200: { content: { [JSONL]: { schema: { type: "string" } } } } };
