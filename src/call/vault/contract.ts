/** The shapes of secrets: what is stored, what people send, what they get. A value never comes back. */

import { z } from "zod";
import { bytes, count, type Infer, optional, text, time } from "../../contract/shape.ts";
import { SECRET_NAME } from "./placeholder.ts";

const texts = z.array(z.string());

/** Who may use a secret in the arguments of a call, and where it may go. Patterns; `*` stands for any run of characters. */
const secretBindings = z.object({
  /** Names of tools, or permissions such as `mcp:github:*`. */
  tools: texts,
  /** Hosts, with or without a port. A call that names another one is refused. */
  hosts: texts,
  /** Ids of the only agents that may use it; null: all. */
  agents: texts.nullable(),
});
export type SecretBindings = Infer<typeof secretBindings>;

/** What is sealed: the value itself, or where it is read when it is needed. */
const secretSource = z.enum(["value", "env", "file", "cmd"]);
export type SecretSource = Infer<typeof secretSource>;

export const secret = z.object({
  name: z.string(),
  /** The value or the reference, as `source` says, together with source, bindings and who set it. */
  sealed: bytes,
  createdAt: time,
  updatedAt: time,
  /** The agent that set it; null: a person did. */
  setBy: z.string().nullable(),
  source: secretSource,
  /** Null: it is from before there were bindings, and bound to no tool. */
  bindings: secretBindings.nullable(),
  /** Sealed JSON of the values it had before, newest first, which are never shown either. Null: it had none. */
  earlier: bytes.nullable(),
});
export type SecretRecord = Infer<typeof secret>;

/** See `VaultKeyTable`. */
export const vaultKey = z.object({ id: z.int(), sealed: bytes, createdAt: time });

// Requests

export const secretName = z.object({ name: z.string().regex(new RegExp(SECRET_NAME)) });

const patterns = z.array(text(200)).max(100);
const value = text(65_536);
/** What is added. Agents by name; null: all agents may use it. */
export const secretBinding = z.object(
  optional({ tools: patterns, hosts: patterns, agents: patterns.nullable() }),
);
/** What is taken away. */
export const secretUnbinding = z.object(optional({ tools: patterns, hosts: patterns, agents: patterns }));
/** A value, or where it is (`env:NAME`, `file:/path`, `cmd:program args`). Bindings that are left out stay. */
export const secretInput = secretBinding.extend(optional({ value, from: value }));

export type SecretBinding = Infer<typeof secretBinding>;
export type SecretInput = Infer<typeof secretInput>;

// Answers: explicit picks, so that nothing of a record slips out.

export const secretView = secret
  .pick({ name: true, source: true, createdAt: true, updatedAt: true })
  .extend({
    tools: texts,
    hosts: texts,
    agents: texts.nullable().describe("The only ones that may use it in arguments; null: all."),
    setBy: z.string().nullable().describe("The agent that set it; null: a person did."),
    usedBy: texts.describe("`server NAME`, `custom tool NAME`, `setting KEY`."),
  })
  .meta({ id: "SecretView", description: "A secret of the vault, without its value." });
export const secretList = z.object({ secrets: z.array(secretView) }).meta({ id: "SecretList" });
export const secretAnswer = z.object({ secret: secretView }).meta({ id: "SecretAnswer" });
export const keyRotated = z
  .object({
    /** How many values have the new key. */
    resealed: count,
    /** How many could not be opened with the old key, and were left as they were. */
    unreadable: count,
  })
  .meta({ id: "KeyRotated" });

export type SecretView = Infer<typeof secretView>;
export type SecretList = Infer<typeof secretList>;
export type SecretAnswer = Infer<typeof secretAnswer>;
export type KeyRotated = Infer<typeof keyRotated>;
