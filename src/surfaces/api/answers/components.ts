import { z } from "zod";
import { namedSchemas } from "../../../contract/shape.ts";
import { daemonAnswers } from "./daemon.ts";
import { settingAnswers } from "./settings.ts";
import * as s from "./shape.ts";
import { toolAnswers } from "./tools.ts";

/** The schema of every answer of the kernel, by the name that its type has in `contract.ts`. */
export const COMPONENTS = {
  ...toolAnswers,
  ...settingAnswers,
  ...daemonAnswers,
};

/** The same with the answers of features. */
export function allComponents(): Readonly<Record<string, s.Schema>> {
  return { ...COMPONENTS, ...namedSchemas((id) => s.ref(id).$ref as string) };
}

export type ComponentName = keyof typeof COMPONENTS;

/** What a route answers with where nothing goes wrong, for its schema. */
export function gives(answer: ComponentName | z.ZodType, status = 200): Readonly<Record<number, s.Schema>> {
  return { [status]: s.ref(typeof answer === "string" ? answer : idOf(answer)) };
}

function idOf(answer: z.ZodType): string {
  const id = z.globalRegistry.get(answer)?.id;
  if (id === undefined) throw new Error("the answer of a route needs an id: .meta({ id })");
  return id;
}
