import { err, ok, type Result } from "../../lib/result.ts";

/** Values by name; what did not come, or came empty, is undefined. */
export type Parameters<N extends string> = { readonly [K in N]: string | undefined };

/** The error is a sentence: OAuth allows no parameter twice, because two readers could each take another one. */
export function readParameters<N extends string>(
  given: URLSearchParams,
  names: readonly N[],
): Result<Parameters<N>, string> {
  const values: Record<string, string | undefined> = {};
  for (const name of names) {
    const [first, ...more] = given.getAll(name);
    if (more.length > 0) return err(`${name} came more than once`);
    values[name] = first === "" ? undefined : first;
  }
  return ok(values as Parameters<N>);
}
