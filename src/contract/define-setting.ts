import type { z } from "zod";

/**
 * The ways in which a project file may change it: set it freely, only lower it, only set this one value, or nothing at
 * all. A project file comes with a checkout, so it must not open what the user keeps closed.
 */
export type ProjectPolicy = "any" | "lower" | "never" | { readonly only: boolean };

/** Converts a value between a settings file and `Settings`. */
export interface SettingForm<Written, Value> {
  read(written: Written): Value;
  write(value: Value): unknown;
}

export interface Setting<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** Null: not set. */
  readonly default: z.output<S> | null;
  readonly description: string;
  readonly project: ProjectPolicy;
  readonly env?: string;
  /** A change applies only after a restart. */
  readonly restart?: true;
  /** Its path in `Settings`. Default: the key in camel case. */
  readonly at?: string;
  /** Absent: `Settings` has the value of the file. */
  readonly form?: SettingForm<z.output<S>, unknown>;
}

/** By dotted key in the files: `projects.max_open`. */
export type FeatureSettings = Readonly<Record<string, Setting>>;

export function defineSetting<S extends z.ZodType, const About extends Omit<Setting<S>, "schema">>(
  schema: S,
  about: About,
): About & { readonly schema: S } {
  return { schema, ...about };
}
