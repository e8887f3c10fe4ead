import { z } from "zod";
import { namedSchemas } from "../../contract/shape.ts";

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema of every answer, by its id. */
export function allComponents(): Readonly<Record<string, Schema>> {
  return namedSchemas((id) => ref(id).$ref);
}

/** Refers to one of them. */
export function ref(id: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${id}` };
}

/** The answer of a route where nothing goes wrong, for its schema. */
export function gives(answer: z.ZodType, status = 200): Readonly<Record<number, Schema>> {
  const id = z.globalRegistry.get(answer)?.id;
  if (id === undefined) throw new Error("the answer of a route needs an id: .meta({ id })");
  return { [status]: ref(id) };
}
