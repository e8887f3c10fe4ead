import type { SecretView } from "../../api/contract.ts";

/** Where the value of a secret is. */
export const SOURCES: Readonly<
  Record<SecretView["source"], { readonly label: string; readonly about: string }>
> = {
  value: { label: "Sealed here", about: "The value is kept in the vault." },
  env: { label: "Environment", about: "It is read from a variable of the daemon when it is needed." },
  file: { label: "A file", about: "It is read from a file when it is needed." },
  cmd: { label: "A program", about: "A program is asked for it when it is needed." },
};
