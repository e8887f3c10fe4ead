/** Hosts in the one form in which rules, bindings of secrets and the network guard compare them. */
import { isIPv6 } from "node:net";
import { carriedIPv4, dottedIPv4 } from "./ip-address.ts";

/** No name that is longer means a host. */
export const MAX_HOST = 2_048;

/**
 * Lower case, without brackets, zone and trailing dots; international names in ASCII, every way to write an IPv4 address
 * (`127.1`, `0x7f.1`, `2130706433`, `::ffff:127.0.0.1`) as four decimal numbers, IPv6 in its short form. `host` is
 * without port and user.
 */
export function hostName(host: string): string {
  const bare = withoutDots(host.trim().replace(/^\[(.*)\]$/s, "$1")).toLowerCase();
  if (bare.length > MAX_HOST) return bare;
  const address = bare.split("%")[0]!;
  if (isIPv6(address)) return mappedIPv4(address) ?? parsed(`[${address}]`)?.slice(1, -1) ?? address;
  // What a parser of addresses would take for something else than a host is left as it is.
  if (/[/?#@:\\\s]/.test(bare)) return bare;
  return withoutDots(parsed(bare) ?? bare);
}

/** Every name that a host goes by: also the IPv4 address that an IPv6 address carries to a translator or tunnel. */
export function hostNames(host: string): readonly string[] {
  const name = hostName(host);
  const carried = name.includes(":") ? carriedIPv4(name) : undefined;
  return carried === undefined ? [name] : [name, dottedIPv4(carried)];
}

/** The same address, as the machine itself sees it. */
function mappedIPv4(address: string): string | undefined {
  const short = parsed(`[${address}]`)?.slice(1, -1) ?? "";
  return /^::ffff:[0-9a-f]+:[0-9a-f]+$/.test(short) ? dottedIPv4(carriedIPv4(short)!) : undefined;
}

function parsed(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return undefined;
  }
}

function withoutDots(host: string): string {
  let end = host.length;
  while (end > 0 && host[end - 1] === ".") end--;
  return host.slice(0, end);
}

/** Endings of files that are no top-level domain, so that no host has them. */
const FILE_ONLY =
  /\.(?:txt|json|jsonl|ya?ml|toml|csv|tsv|pdf|png|jpe?g|gif|svg|webp|html?|css|js|mjs|cjs|tsx?|jsx|rb|go|java|c|h|cpp|hpp|sql|log|xml|gz|tgz|tar|docx?|xlsx?|pptx?|lock|env|ini|cfg|conf|bak|tmp|db|sqlite|wasm|map|ipynb)$/i;
/** Endings that are both. */
const FILE_TOO = /\.(?:md|sh|py|rs|pl|zip|mov|app|ps|so|cc|ml|vi|in|st|ai|am|ba)$/i;

/** A bare word that is a name of a file, and no host. */
export function isFileName(text: string): boolean {
  return FILE_ONLY.test(text);
}

/** A bare word that may be a name of a file as well as a host. */
export function mayBeFileName(text: string): boolean {
  return FILE_ONLY.test(text) || FILE_TOO.test(text);
}
