/** Addresses by which clients know what a token opens. */

import { SCOPES, type Scope } from "../../contract/caller.ts";
import type { Settings } from "../../machine/config/settings.ts";

/**
 * The scopes that clients are told to ask for. A client must know `admin`, which changes Toolkeep itself, and name it.
 */
export const OFFERED_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "admin");

const METADATA = "/.well-known/oauth-protected-resource";
/** Existence is not checked: a client without a token must not learn which toolboxes and servers exist. */
const RESOURCE_PATH = /^(?:\/mcp(?:(?:\/server)?\/[\w.~%-]{1,200})?)?$/;

/**
 * Where clients reach this process: the public address, or else the name that the request used. `host` is the Host
 * header, which was checked before; behind a proxy it may name anything, so the public address takes precedence.
 */
export function ownAddress({ publicUrl, host, port }: Address, hostHeader: string | undefined): string {
  if (publicUrl !== null) return publicUrl;
  const fromHeader = `http://${hostHeader ?? ""}`;
  // A URL accepts more characters in a host than we allow in the header.
  return /^[\w.:[\]-]+$/.test(hostHeader ?? "") && URL.canParse(fromHeader)
    ? new URL(fromHeader).origin
    : `http://${host}:${port}`;
}

type Address = Pick<Settings, "publicUrl" | "host" | "port">;

/** The address of the metadata of the resource at `path`, below the public address even if that has a path. */
export function metadataAddress(address: string, path: string): string {
  return `${address}${METADATA}${isResourcePath(path) ? path : ""}`;
}

/** Whether tokens are issued for `path`: `/mcp` and what is below, or everything (empty). */
export function isResourcePath(path: string): boolean {
  return RESOURCE_PATH.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
}
