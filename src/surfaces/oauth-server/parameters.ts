import { err, ok, type Result } from "../../lib/result.ts";

/** Values by name; missing and empty ones are undefined. */
export type Parameters<N extends string> = { readonly [K in N]: string | undefined };

/** Refuses repeated parameters, as OAuth requires: two readers could each use a different one. The error is a sentence. */
export function readParameters<N extends string>(
  params: URLSearchParams,
  names: readonly N[],
): Result<Parameters<N>, string> {
  const values: Record<string, string | undefined> = {};
  for (const name of names) {
    const [first, ...more] = params.getAll(name);
    if (more.length > 0) return err(`${name} came more than once`);
    values[name] = first === "" ? undefined : first;
  }
  return ok(values as Parameters<N>);
}
