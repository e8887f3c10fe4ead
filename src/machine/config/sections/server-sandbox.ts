/** Checks a server's `sandbox` from every origin, and formats it for a settings file. */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { isRecord } from "../../../lib/json.ts";
import type { KeyPath } from "../document/document.ts";
import { oneOf, text, wholeNumber, yesOrNo } from "../document/expectation.ts";
import type { FileReport } from "../problem.ts";
import type { SandboxConfig } from "../settings.ts";
import { fullPath } from "./server-auth.ts";

/** The whole of it or parts; `true` is `required`, `false` and null are off, a word is the mode. */
export type SandboxInput = Partial<SandboxConfig> | SandboxConfig["mode"] | boolean | null;

const MODES = ["off", "auto", "required"] as const;
const EXPECTED = 'an object, true, false, "auto", "required" or "off"';
const MAX_PATHS = 100;

export const sandboxFields = z.preprocess(
  partsOf,
  z
    .object(
      {
        mode: oneOf(MODES).default("required"),
        network: yesOrNo().default(true),
        read: paths().default([]),
        write: paths().default([]),
        memoryMb: wholeNumber(16, 1_048_576, "MiB").nullable().default(null),
        processes: wholeNumber(1, 100_000).nullable().default(null),
        cpuSecs: wholeNumber(1, 31_536_000, "seconds").nullable().default(null),
        fileMb: wholeNumber(1, 1_048_576, "MiB").nullable().default(null),
      },
      EXPECTED,
    )
    .nullable()
    .default(null),
);

/** The keys of `sandbox` in an entry, with their defaults for the documentation. */
export const SANDBOX_KEYS: Readonly<
  Record<string, { readonly default: string; readonly description: string }>
> = {
  mode: {
    default: "required",
    description:
      "`required`: without a sandbox the server does not start; `auto`: it then starts without, and people are told; `off`.",
  },
  network: { default: "true", description: "False: no network, not even this machine's." },
  read: {
    default: "[]",
    description: "Folders and files that it may read; relative ones lie beside the settings file.",
  },
  write: { default: "[]", description: "Those that it may read and write." },
  memory_mb: { default: "", description: "How much memory each of its processes may take, in MiB." },
  processes: { default: "", description: "How many processes and threads it may have." },
  cpu_secs: { default: "", description: "How many seconds of the processor each of its processes may use." },
  file_mb: { default: "", description: "How long a file that it writes may become, in MiB." },
};

const FIELDS: Readonly<Record<string, keyof SandboxConfig>> = {
  mode: "mode",
  network: "network",
  read: "read",
  write: "write",
  memory_mb: "memoryMb",
  processes: "processes",
  cpu_secs: "cpuSecs",
  file_mb: "fileMb",
};

/** Applies a change to `sandbox`. Missing keys stay as they are. */
export function changedSandbox(
  given: SandboxInput | undefined,
  current: SandboxConfig | null,
): SandboxInput | undefined {
  const parts = partsOf(given);
  return isRecord(parts) ? { ...current, ...withoutUndefined(parts) } : (parts as null | undefined);
}

/** Reads `sandbox` as fields of a server. Their check reports invalid values; this reports unknown keys. */
export function readSandbox(given: unknown, path: KeyPath, report: FileReport): unknown {
  if (!isRecord(given)) return given;
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const field = FIELDS[key];
    if (field === undefined) report.unknownKey([...path, key], Object.keys(SANDBOX_KEYS));
    else if (value !== null)
      fields[field] = Array.isArray(value) ? value.map((item) => fullPath(item, report.folder)) : value;
  }
  return fields;
}

/** Formats `sandbox` for a file, without values that are not set. */
export function fileSandboxOf(sandbox: SandboxConfig | null): Record<string, unknown> | null {
  return (
    sandbox &&
    Object.fromEntries(
      Object.entries(FIELDS)
        .map(([key, field]) => [key, sandbox[field]])
        .filter(([, value]) => value !== null),
    )
  );
}

/** The key of a settings file for a field of `sandbox`. */
export function sandboxKeyOf(field: string): string {
  return Object.keys(FIELDS).find((key) => FIELDS[key] === field) ?? field;
}

function partsOf(given: unknown): unknown {
  if (given === true) return { mode: "required" };
  if (given === false) return null;
  return typeof given === "string" ? { mode: given } : given;
}

function paths() {
  const expected = `a list of at most ${MAX_PATHS} absolute paths`;
  const path = text("an absolute path").refine(isAbsolute, "an absolute path");
  return z.array(path, expected).max(MAX_PATHS, expected).readonly();
}

function withoutUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}
