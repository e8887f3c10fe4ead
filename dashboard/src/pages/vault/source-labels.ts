import type { SecretView } from "../../api/contract.ts";

/** Where the value of a secret comes from. */
export const SOURCE_LABELS: Readonly<
  Record<SecretView["source"], { readonly label: string; readonly description: string }>
> = {
  value: { label: "Stored here", description: "The value is encrypted in the vault." },
  env: { label: "Environment", description: "Read from the daemon's environment when needed." },
  file: { label: "File", description: "Read from a file when needed." },
  cmd: { label: "Program", description: "Read from a program's output when needed." },
};
