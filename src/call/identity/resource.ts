/** Addresses by which clients know what a token opens. */

import { SCOPES, type Scope } from "../../contract/caller.ts";
import type { Settings } from "../../machine/config/settings.ts";

/** What clients are told to ask for. The one that changes Toolkeep itself they have to know of and name. */
export const OFFERED_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== "admin");

const METADATA = "/.well-known/oauth-protected-resource";
/** Nothing is asked about what it names: whoever has no token must not learn which toolboxes and servers there are. */
const RESOURCE_PATH = /^(?:\/mcp(?:(?:\/server)?\/[\w.~%-]{1,200})?)?$/;

/**
 * Where clients reach this process: its public address, or by whichever of its names the request came. `host` is the
 * Host header, which was checked before; behind a proxy it may name anything, hence the public address counts more.
 */
export function ownAddress({ publicUrl, host, port }: Address, hostHeader: string | undefined): string {
  if (publicUrl !== null) return publicUrl;
  const named = `http://${hostHeader ?? ""}`;
  // A URL takes more characters in a host than a header of ours may have.
  return /^[\w.:[\]-]+$/.test(hostHeader ?? "") && URL.canParse(named)
    ? new URL(named).origin
    : `http://${host}:${port}`;
}

type Address = Pick<Settings, "publicUrl" | "host" | "port">;

/** Where the metadata of the resource at `path` lies; below the public address, also when that has a path itself. */
export function metadataAddress(address: string, path: string): string {
  return `${address}${METADATA}${isResourcePath(path) ? path : ""}`;
}

/** Whether `path` is one that tokens are issued for: `/mcp` and what is below, or everything (empty). */
export function isResourcePath(path: string): boolean {
  return RESOURCE_PATH.test(path) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
}
