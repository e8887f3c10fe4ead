/** How agents describe a server in a tool's arguments. Everything is bounded, because it comes from a model. */

import type { JsonSchema } from "../contract/tool.ts";
import { isRecord } from "../lib/json.ts";
import { maskArgs, maskUrl } from "../machine/config/masked.ts";
import type { OAuthConfig } from "../machine/config/settings.ts";
import type { ServerInput, ServerView } from "./contract.ts";

type Values = Readonly<Record<string, string | null>>;

export interface ReachArgs {
  readonly transport?: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Values;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Values;
  readonly oauth?: { readonly client_id?: string; readonly client_secret?: string; readonly scope?: string };
}

/** Excludes `trusted`, `enabled`, limits and certificates, which only a person may decide. */
export const REACH_PROPERTIES: Readonly<Record<keyof ReachArgs, JsonSchema>> = {
  transport: { enum: ["stdio", "http", "sse"], description: "Default: http with a url, else stdio." },
  command: { type: "string", minLength: 1, maxLength: 1_000, description: "The program of a local server." },
  args: {
    type: "array",
    maxItems: 100,
    items: { type: "string", maxLength: 4_000 },
    description: "Its arguments. Put secrets into env instead.",
  },
  env: buildValuesSchema(100, "Variables for a local server, stored sealed."),
  cwd: {
    type: "string",
    minLength: 1,
    maxLength: 1_000,
    description: "The folder a local server starts in.",
  },
  url: { type: "string", minLength: 1, maxLength: 2_000, description: "The address of a remote server." },
  headers: buildValuesSchema(50, "Headers for a remote server, stored sealed."),
  oauth: {
    type: "object",
    additionalProperties: false,
    properties: {
      client_id: { type: "string", minLength: 1, maxLength: 2_000 },
      client_secret: { type: "string", maxLength: 4_000 },
      scope: { type: "string", minLength: 1, maxLength: 2_000, description: "Separated by spaces." },
    },
    description: "A client that was registered with a remote server beforehand; seldom needed.",
  },
};

/** Turns the arguments into what registers a server. */
export function toServerInput({ env, headers, oauth, ...others }: ReachArgs): ServerInput {
  return {
    ...others,
    ...(env && { env: dropNulls(env) }),
    ...(headers && { headers: dropNulls(headers) }),
    ...(oauth && { oauth: toOAuthConfig(oauth) }),
  };
}

/** The same for a change: existing variables and headers that are not named keep their values, unseen. */
export function mergeServerInput(args: ReachArgs, { envKeys, headerKeys }: ServerView): ServerInput {
  const { env, headers } = args;
  return toServerInput({
    ...args,
    ...(env && { env: { ...blankValues(envKeys), ...env } }),
    ...(headers && { headers: { ...blankValues(headerKeys), ...headers } }),
  });
}

/** Hides the values of env, headers, the client secret and unknown keys, and whatever looks like a secret. */
export function maskArguments(args: unknown): unknown {
  if (!isRecord(args)) return HIDDEN;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, maskValue(key, value)]));
}

const HIDDEN = "***";
const PLAIN: ReadonlySet<string> = new Set(["name", "new_name", "transport", "command", "cwd"]);

function maskValue(key: string, value: unknown): unknown {
  if (PLAIN.has(key)) return value;
  if (key === "args" && isTextArray(value)) return maskArgs(value);
  if (key === "url" && typeof value === "string") return maskUrl(value);
  // The keys of hidden values stay, because they say what it was about.
  if (!isRecord(value)) return HIDDEN;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      return [name, key === "oauth" && name !== "client_secret" ? item : HIDDEN];
    }),
  );
}

function isTextArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function blankValues(keys: readonly string[]): Values {
  return Object.fromEntries(keys.map((key) => [key, ""]));
}

function dropNulls(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function toOAuthConfig({
  client_id,
  client_secret,
  scope,
}: NonNullable<ReachArgs["oauth"]>): Partial<OAuthConfig> {
  return {
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(scope !== undefined && { scope }),
  };
}

function buildValuesSchema(maxProperties: number, description: string): JsonSchema {
  return {
    type: "object",
    maxProperties,
    propertyNames: { maxLength: 200 },
    additionalProperties: { type: ["string", "null"], maxLength: 16_000 },
    description,
  };
}
