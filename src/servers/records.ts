/** The records of MCP servers in the store. */

import { z } from "zod";
import { anyObject, bytes, type Infer, time } from "../contract/shape.ts";
import { CAPABILITIES } from "../contract/tool.ts";

/** A registered server, or the row that keeps id and names of one that only a settings file declares. */
export const serverRecord = z.object({
  id: z.string(),
  name: z.string(),
  /** Replaces `{server}` in tool names; kept when the server is renamed. */
  prefix: z.string(),
  origin: z.enum(["stored", "file"]),
  /** Everything but secrets: transport, command, args, cwd, url, timeouts … Null for a file's server. */
  config: anyObject.nullable(),
  /** Sealed JSON `{env, headers}`; null if there is none. */
  sealed: bytes.nullable(),
  envKeys: z.array(z.string()),
  headerKeys: z.array(z.string()),
  enabled: z.boolean(),
  status: z.enum(["active", "pending_approval"]),
  /** The fingerprint of the definition that a person approved, if approval is bound to one. */
  approvedFingerprint: z.string().nullable(),
  addedBy: z.string().nullable(),
  /** The last known protocol era: `{era, version, at}`. */
  era: anyObject.nullable(),
  instructions: z.string().nullable(),
  /** It has sent inquiries back during calls: callers that can answer get a connection of their own. */
  asksBack: z.boolean(),
  /** Sealed JSON that a sign-in left behind (client registration, refresh token …); null if there is none. */
  auth: bytes.nullable(),
  listedAt: time.nullable(),
  lastError: z.string().nullable(),
  /** When the last attempt to reach it failed; null if it worked, or if nobody has tried. */
  failedAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
});
export type ServerRecord = Infer<typeof serverRecord>;

export const serverToolRow = z.object({
  serverId: z.string(),
  position: z.int(),
  originalName: z.string(),
  definition: anyObject,
  fingerprint: z.string().nullable(),
});
/** A tool definition as its server published it. */
export interface ServerToolRecord extends Omit<Infer<typeof serverToolRow>, "position" | "fingerprint"> {
  /** Equal for definitions that say the same; absent if it was never computed. */
  readonly fingerprint?: string;
}

export const serverOfferRow = z.object({
  serverId: z.string(),
  kind: z.enum(["resource", "resource_template", "prompt"]),
  position: z.int(),
  definition: anyObject,
});
/** Something that a server offers beside its tools, as it published it. */
export type ServerOfferRecord = Omit<Infer<typeof serverOfferRow>, "position">;

export const toolName = z.object({ serverId: z.string(), originalName: z.string(), name: z.string() });
export type ToolNameRecord = Infer<typeof toolName>;

export interface ToolNameChange {
  readonly originalName: string;
  readonly from: string;
  readonly to: string;
}

export const PIN_KINDS = ["tool", "resource_template", "prompt", "instructions"] as const;
export type PinKind = (typeof PIN_KINDS)[number];

/** Something that a server publishes: the definition that a person accepted, and the one that is published instead. */
export const pin = z.object({
  serverId: z.string(),
  kind: z.enum(PIN_KINDS),
  /** Its name at the server; empty for the list of this kind as a whole, which has been accepted once. */
  key: z.string(),
  /** The fingerprint of the accepted definition; null if none was ever accepted. */
  accepted: z.string().nullable(),
  /** The accepted definition, kept from the moment that the server publishes another one. */
  acceptedAs: anyObject.nullable(),
  /** The fingerprint of the definition that is held until a person has decided; null if none is. */
  held: z.string().nullable(),
  heldAs: anyObject.nullable(),
  /** The fingerprint that a person rejected: nobody is asked about it again. */
  rejected: z.string().nullable(),
  changedAt: time,
});
export type PinRecord = Infer<typeof pin>;
export type AcceptedPin = Pick<PinRecord, "serverId" | "kind" | "key"> & { readonly accepted: string };

/** A tool's capabilities as a person set them; they override the derived ones. */
export const toolCapabilities = z.object({
  serverId: z.string(),
  originalName: z.string(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  setAt: time,
});
export type ToolCapabilitiesRecord = Infer<typeof toolCapabilities>;
