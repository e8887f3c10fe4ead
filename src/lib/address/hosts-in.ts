import { isRecord } from "../json.ts";
import { wildcard } from "../text/wildcard.ts";
import { addressesIn } from "./addresses-in.ts";
import { hostName, isFileName, MAX_HOST } from "./host-name.ts";

/** What looks like an address and is none that everybody reads in the same way: only `*` covers it. */
export const UNREADABLE_HOST = "?";

const ENDS_ADDRESS = /[\s"<>]/g;
/** Where an address stands in a sentence or in code. */
const BEHIND_ADDRESS = ")]},.;:'`!";
/** More than anybody means: those beyond are read by nobody. */
const MAX_ADDRESSES = 1_000;
/** What browsers take for an address all the same: `https:host`, `https:/host`, `//host`, `\\host`. */
const LOOSE_ADDRESS = /^(?:(?:https?|wss?|ftp):|[\\/]{2}[^\\/])/i;
/** Programs disagree about what more may stand in the place of a host, and what it means there. */
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}_.-]+)(?::\d{1,5})?$/iu;
/** Properties whose text is a place even when it has no scheme. */
const PLACE =
  /(?:host(?:name)?|domain|server|endpoint|origin|ur[li]|href|link|proxy|webhook|callback|remote|address|destination)s?$/i;
/** The same, if what stands there looks like a host and not like the name of a file. */
const WEAK_PLACE =
  /(?:^|[^a-z])(?:target|dest|dst|to|base|upstream|site|gateway|peer)s?$|[a-z](?:Target|Dest|Dst|To|Base|Upstream|Site|Gateway|Peer)s?$|^(?:TARGET|DEST|TO|BASE|UPSTREAM|SITE)S?$/;

/**
 * Every host that a JSON value names: addresses wherever they stand in its texts, and bare hosts under properties that
 * are about places. `host`, or `host:port` where a port is given that its scheme does not mean anyway.
 */
export function hostsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  look(value, "", found);
  return found;
}

/** The host of an address that begins with its scheme; undefined where it has none, as `file:///x`. */
export function hostOf(address: string): string | undefined {
  const authority = authorityOf(address);
  if (authority === "") return undefined;
  const [host = "", user] = authority.split("@").toReversed();
  const isPlain = authority.length <= MAX_HOST && !authority.includes("\\") && HOST_AND_PORT.test(host);
  const isOnce = user === undefined || authority.length === user.length + 1 + host.length;
  const parsed = isPlain && isOnce ? parsedAddress(address) : undefined;
  if (!parsed) return UNREADABLE_HOST;
  const { hostname, port } = parsed;
  const short = hostName(hostname);
  const name = short.includes(":") ? `[${short}]` : short;
  return port === "" ? name : `${name}:${port}`;
}

/** Not by `URL.canParse`: that of Node 20, once it is optimised, takes some addresses beyond ASCII for none. */
export function parsedAddress(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** What stands between `://` and the next `/`, `?` or `#`. */
export function authorityOf(address: string): string {
  const at = address.indexOf("://");
  const start = at < 0 ? 0 : at + 3;
  const length = address.slice(start).search(/[/?#]/);
  return length < 0 ? address.slice(start) : address.slice(start, start + length);
}

/** Whether a pattern covers a host; one without a port covers every port. */
export function coversHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  if (host === UNREADABLE_HOST) return false;
  const hasPort = /(?:^|[^:]):\d+$/.test(pattern);
  const compared = hasPort ? host : host.replace(/:\d+$/, "");
  const wanted = pattern.includes("*") ? pattern.toLowerCase() : (hostOf(`http://${pattern}`) ?? pattern);
  return wildcard(wanted)(compared);
}

function look(value: unknown, key: string, found: Set<string>): void {
  if (typeof value === "string") lookAt(value.trim(), key, found);
  else if (Array.isArray(value)) for (const item of value) look(item, key, found);
  else if (isRecord(value)) for (const name in value) lookAtProperty(value[name], name, found);
}

function lookAtProperty(value: unknown, name: string, found: Set<string>): void {
  if (name.includes("://")) lookAt(name.trim(), "", found);
  look(value, name, found);
}

function lookAt(text: string, key: string, found: Set<string>): void {
  const add = (host: string | undefined) => {
    if (host !== undefined) found.add(host);
  };
  const isPlace = PLACE.test(key) || WEAK_PLACE.test(key);
  // Browsers leave breaks out, others end there.
  if (/[\t\r\n]/.test(text) && (isPlace || !text.includes(" ")))
    lookAt(text.replace(/[\t\r\n]+/g, ""), key, found);
  // What a text begins with decides where it leads, whatever addresses stand behind that.
  const isLoose = LOOSE_ADDRESS.test(text) && !/^[a-z]+:\/\/[^/\\]/i.test(text);
  if (isLoose) add(hostOf(completed(text)));
  else if (isPlace) add(bareHostOf(text, key));
  if (!text.includes("://")) return;
  const { addresses, more } = addressesIn(text, ENDS_ADDRESS, MAX_ADDRESSES);
  for (const address of addresses) add(hostOf(withoutEnd(address)));
  if (more) add(UNREADABLE_HOST);
}

/** Of a text without a scheme: what stands before its path. */
function bareHostOf(text: string, key: string): string | undefined {
  const end = text.search(/[/?#\\]/);
  const place = end < 0 ? text : text.slice(0, end);
  const host = place.slice(place.lastIndexOf("@") + 1);
  const isMail = end < 0 && place.includes("@") && /(?:address(?:es)?|to)$/i.test(key);
  // A path or the name of a file, where the property may mean that.
  if (!PLACE.test(key) && (isFileName(host) || /^\.{0,2}$/.test(host))) return undefined;
  if (isMail || /\s/.test(place) || !isBareHost(host, key)) return undefined;
  return text[end] === "\\" ? UNREADABLE_HOST : hostOf(`http://${place}`);
}

function withoutEnd(address: string): string {
  let end = address.length;
  while (end > 0 && BEHIND_ADDRESS.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/** A single word may be anything, unless its property says that it is a host, or it is an address in one number. */
function isBareHost(text: string, key: string): boolean {
  const isNamed = PLACE.test(key);
  if (HOST_AND_PORT.test(text))
    return (
      /[.:]|^localhost$/i.test(text) ||
      /host(?:name)?$/i.test(key) ||
      (isNamed && /^(?:\d{8,10}|0x[0-9a-f]{7,8}|0[0-7]{9,11})$/i.test(text))
    );
  // Browsers read a host in it: other dots, escapes, invisible characters.
  const isOdd = isNamed && text.length <= MAX_HOST && /[.\u3002\uff0e\uff61%]/.test(text);
  return isOdd && parsedAddress(`http://${text}`) !== undefined;
}

/** As a browser reads it. */
function completed(address: string): string {
  return URL.canParse(address, "http://x") ? new URL(address, "http://x").href : `x://${UNREADABLE_HOST}!`;
}
