/** Hosts in the one form in which rules, bindings of secrets and the network guard compare them. */
import { isIPv6 } from "node:net";
import { carriedIPv4, dottedIPv4 } from "./ip-address.ts";

/** A longer text is never a host name. */
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
  if (isIPv6(address)) return mappedIPv4(address) ?? parseHost(`[${address}]`)?.slice(1, -1) ?? address;
  // A text that a URL parser would not read as a host stays as it is.
  if (/[/?#@:\\\s]/.test(bare)) return bare;
  return withoutDots(parseHost(bare) ?? bare);
}

/** Returns every name of a host, including the IPv4 address that an IPv6 address carries to a translator or tunnel. */
export function hostNames(host: string): readonly string[] {
  const name = hostName(host);
  const carried = name.includes(":") ? carriedIPv4(name) : undefined;
  return carried === undefined ? [name] : [name, dottedIPv4(carried)];
}

/** The same address, as the machine itself sees it. */
function mappedIPv4(address: string): string | undefined {
  const short = parseHost(`[${address}]`)?.slice(1, -1) ?? "";
  return /^::ffff:[0-9a-f]+:[0-9a-f]+$/.test(short) ? dottedIPv4(carriedIPv4(short)!) : undefined;
}

function parseHost(host: string): string | undefined {
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

/** File extensions that are not top-level domains, so that no host ends with them. */
const FILE_ONLY =
  /\.(?:txt|json|jsonl|ya?ml|toml|csv|tsv|pdf|png|jpe?g|gif|svg|webp|html?|css|js|mjs|cjs|tsx?|jsx|rb|go|java|c|h|cpp|hpp|sql|log|xml|gz|tgz|tar|docx?|xlsx?|pptx?|lock|env|ini|cfg|conf|bak|tmp|db|sqlite|wasm|map|ipynb)$/i;
/** File extensions that are also top-level domains. */
const FILE_OR_DOMAIN = /\.(?:md|sh|py|rs|pl|zip|mov|app|ps|so|cc|ml|vi|in|st|ai|am|ba)$/i;

/** True for a bare word that is a file name and cannot be a host. */
export function isFileName(text: string): boolean {
  return FILE_ONLY.test(text);
}

/** True for a bare word that can be a file name or a host. */
export function mayBeFileName(text: string): boolean {
  return FILE_ONLY.test(text) || FILE_OR_DOMAIN.test(text);
}
