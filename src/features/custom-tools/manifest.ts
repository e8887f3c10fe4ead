/** `tool.json`, the manifest of a custom tool. */
import { normalize } from "node:path";
import { z } from "zod";
import type { JsonSchema, ToolFlags } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Document, DocumentError } from "../../machine/config/document/document.ts";
import { text, wholeNumber, yesOrNo } from "../../machine/config/document/expectation.ts";
import { parseJson } from "../../machine/config/document/json-document.ts";
import { FileReport, fileProblem } from "../../machine/config/problem.ts";

export const MANIFEST = "tool.json";

export interface Manifest {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly flags: ToolFlags;
  /** The script, relative to the folder. */
  readonly entry: string;
  /** A program and its arguments, which override the script's own #! line and extension. */
  readonly interpreter?: readonly string[];
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Additional variables with their values. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables passed on from the daemon's environment. */
  readonly passEnv: readonly string[];
  /** Secrets of the vault, each passed in a variable with its name. */
  readonly secrets: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TIMEOUT_MS = 300_000;
const DEFAULT_OUTPUT_BYTES = 1_000_000;
/** The manifest is kept in the store and in memory. */
export const MAX_MANIFEST_BYTES = 256 * 1024;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
/** The daemon's own variables, which child processes never get. */
const OWN_VARIABLE = /^(TOOLKEEP_.*|DATABASE_URL|PROCESS_TREE)$/;

const variable = z
  .string("the name of a variable")
  .regex(VARIABLE, "the name of a variable: letters, digits and _")
  .refine((name) => !OWN_VARIABLE.test(name), "a variable that is not the daemon's own");

const objectSchema = z
  .custom<JsonSchema>(isRecord, 'a JSON schema with "type": "object"')
  .refine((schema) => schema.type === "object", 'a JSON schema with "type": "object"');

const nameList = (expected: string, one: z.ZodType<string>) => z.array(one, expected).max(50, expected);

const PROGRAM = "a program, or a list of a program and its arguments, at most 20";
const VARIABLES = "variables with their values, named with letters, digits and _, none of the daemon's own";

const FIELDS = {
  title: text("a short title", 200).optional(),
  description: z
    .string("what the tool does, for the model")
    .trim()
    .min(1, "what the tool does, for the model")
    .max(10_000, "at most 10000 characters"),
  input_schema: objectSchema,
  output_schema: objectSchema.optional(),
  read_only: yesOrNo().default(false),
  concurrency_safe: yesOrNo().default(false),
  destructive: yesOrNo().default(false),
  entry: text("the file to run, relative to the folder", 1_000).refine(
    isInside,
    "a file in the folder, such as tool.py",
  ),
  interpreter: z
    .union(
      [
        text("a program").transform((program) => [program]),
        z.array(text("a program and its arguments")).min(1, PROGRAM).max(20, PROGRAM),
      ],
      PROGRAM,
    )
    .optional(),
  timeout_ms: wholeNumber(1, MAX_TIMEOUT_MS, "milliseconds (300 s at most)").default(DEFAULT_TIMEOUT_MS),
  max_output_bytes: wholeNumber(1_000, 10_000_000, "bytes").default(DEFAULT_OUTPUT_BYTES),
  env: z
    .record(
      variable,
      z
        .string("a text")
        .max(65_536, "at most 65536 characters")
        .refine((value) => !value.includes("\0"), "a text without NUL"),
      VARIABLES,
    )
    .default({}),
  pass_env: nameList("a list of names of variables, at most 50", variable).default([]),
  secrets: nameList(
    "a list of names of secrets, at most 50",
    z
      .string("the name of a secret")
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/, "the name of a secret: capitals, digits and _"),
  ).default([]),
};

const SHAPE = z.object(FIELDS, "an object");

/** Every key that a manifest may have. */
export const MANIFEST_KEYS: readonly string[] = Object.keys(FIELDS);

export interface ParsedManifest {
  readonly manifest: Manifest;
  /** The manifest as written. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Each problem names the line, what was expected and what was found. */
export function parseManifest(content: string): Result<ParsedManifest, readonly string[]> {
  if (Buffer.byteLength(content) > MAX_MANIFEST_BYTES)
    return err([`${MANIFEST}: expected at most ${MAX_MANIFEST_BYTES} bytes`]);
  let document: Document;
  try {
    document = parseJson(content);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { message: sentence, position } = error;
    return err([fileProblem(MANIFEST, { sentence, position }).message]);
  }
  const { value } = document;
  const report = new FileReport(MANIFEST, document);
  if (isRecord(value)) {
    // A misspelt "destructive" must not count as left out.
    for (const key of Object.keys(value).filter((each) => !MANIFEST_KEYS.includes(each)))
      report.expectedInstead([key], `one of ${MANIFEST_KEYS.join(", ")}`, describeKey(key));
  }
  const parsed = SHAPE.safeParse(value);
  if (!parsed.success) report.mismatches(parsed.error, value, []);
  else if (parsed.data.read_only && parsed.data.destructive)
    report.expectedInstead(["destructive"], "false, because read_only is true", "true");
  if (!parsed.success || report.problemCount > 0) return err(report.problems.map(({ message }) => message));
  return ok({ manifest: toManifest(parsed.data), raw: value as Record<string, unknown> });
}

function describeKey(key: string): string {
  const guess = nearest(key, MANIFEST_KEYS);
  return guess === undefined ? JSON.stringify(key.slice(0, 60)) : `${JSON.stringify(key)} (for ${guess}?)`;
}

function toManifest(fields: z.output<typeof SHAPE>): Manifest {
  return {
    ...(fields.title === undefined ? {} : { title: fields.title }),
    description: fields.description,
    inputSchema: fields.input_schema,
    ...(fields.output_schema === undefined ? {} : { outputSchema: fields.output_schema }),
    flags: {
      readOnly: fields.read_only,
      concurrencySafe: fields.concurrency_safe,
      destructive: fields.destructive,
    },
    entry: normalize(fields.entry),
    ...(fields.interpreter === undefined ? {} : { interpreter: fields.interpreter }),
    timeoutMs: fields.timeout_ms,
    maxOutputBytes: fields.max_output_bytes,
    env: fields.env,
    passEnv: fields.pass_env,
    secrets: fields.secrets,
  };
}

function isInside(path: string): boolean {
  const plain = normalize(path);
  return !plain.startsWith("..") && !plain.startsWith("/") && !plain.endsWith("/") && plain !== ".";
}
