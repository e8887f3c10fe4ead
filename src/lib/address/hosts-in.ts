import { isRecord } from "../json.ts";
import { wildcard } from "../text/wildcard.ts";
import { findAddresses } from "./addresses-in.ts";
import { hostName, isFileName, MAX_HOST } from "./host-name.ts";

/** Stands for an address that programs read in different ways. Only `*` covers it. */
export const UNREADABLE_HOST = "?";

const ENDS_ADDRESS = /[\s"<>]/g;
/** Characters that can follow an address in a sentence or in code. */
const AFTER_ADDRESS = ")]},.;:'`!";
/** Further addresses of a text are ignored. */
const MAX_ADDRESSES = 1_000;
/** Forms that browsers also accept as an address: `https:host`, `https:/host`, `//host`, `\\host`. */
const LOOSE_ADDRESS = /^(?:(?:https?|wss?|ftp):|[\\/]{2}[^\\/])/i;
/** Programs disagree about the meaning of any other character in the place of a host. */
const HOST_AND_PORT = /^(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}_.-]+)(?::\d{1,5})?$/iu;
/** Properties whose text is an address even without a scheme. */
const ADDRESS_PROPERTY =
  /(?:host(?:name)?|domain|server|endpoint|origin|ur[li]|href|link|proxy|webhook|callback|remote|address|destination)s?$/i;
/** Properties whose text is an address if it looks like a host and not like a file name. */
const POSSIBLE_ADDRESS_PROPERTY =
  /(?:^|[^a-z])(?:target|dest|dst|to|base|upstream|site|gateway|peer)s?$|[a-z](?:Target|Dest|Dst|To|Base|Upstream|Site|Gateway|Peer)s?$|^(?:TARGET|DEST|TO|BASE|UPSTREAM|SITE)S?$/;

/**
 * Finds every host that a JSON value names: addresses anywhere in its texts, and bare hosts under properties that hold
 * addresses. A host has the form `host`, or `host:port` if the port is not the default of its scheme.
 */
export function findHosts(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  visitValue(value, "", found);
  return found;
}

/** Returns the host of an address with a scheme; undefined if it has none, such as `file:///x`. */
export function hostOf(address: string): string | undefined {
  const authority = authorityOf(address);
  if (authority === "") return undefined;
  const [host = "", user] = authority.split("@").toReversed();
  const isPlain = authority.length <= MAX_HOST && !authority.includes("\\") && HOST_AND_PORT.test(host);
  const isOnce = user === undefined || authority.length === user.length + 1 + host.length;
  const parsed = isPlain && isOnce ? parseUrl(address) : undefined;
  if (!parsed) return UNREADABLE_HOST;
  const { hostname, port } = parsed;
  const short = hostName(hostname);
  const name = short.includes(":") ? `[${short}]` : short;
  return port === "" ? name : `${name}:${port}`;
}

/** Does not use `URL.canParse`: once optimised, Node 20's version rejects some valid addresses outside ASCII. */
export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

/** Returns the text between `://` and the next `/`, `?` or `#`. */
export function authorityOf(address: string): string {
  const at = address.indexOf("://");
  const start = at < 0 ? 0 : at + 3;
  const length = address.slice(start).search(/[/?#]/);
  return length < 0 ? address.slice(start) : address.slice(start, start + length);
}

/** True if the pattern covers the host. A pattern without a port covers every port. */
export function coversHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  if (host === UNREADABLE_HOST) return false;
  const hasPort = /(?:^|[^:]):\d+$/.test(pattern);
  const compared = hasPort ? host : host.replace(/:\d+$/, "");
  const wanted = pattern.includes("*") ? pattern.toLowerCase() : (hostOf(`http://${pattern}`) ?? pattern);
  return wildcard(wanted)(compared);
}

function visitValue(value: unknown, key: string, found: Set<string>): void {
  if (typeof value === "string") visitText(value.trim(), key, found);
  else if (Array.isArray(value)) for (const item of value) visitValue(item, key, found);
  else if (isRecord(value)) for (const name in value) visitProperty(value[name], name, found);
}

function visitProperty(value: unknown, name: string, found: Set<string>): void {
  if (name.includes("://")) visitText(name.trim(), "", found);
  visitValue(value, name, found);
}

function visitText(text: string, key: string, found: Set<string>): void {
  const add = (host: string | undefined) => {
    if (host !== undefined) found.add(host);
  };
  const isPlace = ADDRESS_PROPERTY.test(key) || POSSIBLE_ADDRESS_PROPERTY.test(key);
  // Browsers ignore line breaks in an address; other programs end it there.
  if (/[\t\r\n]/.test(text) && (isPlace || !text.includes(" ")))
    visitText(text.replace(/[\t\r\n]+/g, ""), key, found);
  // The beginning of a text decides where it leads, even if other addresses follow.
  const isLoose = LOOSE_ADDRESS.test(text) && !/^[a-z]+:\/\/[^/\\]/i.test(text);
  if (isLoose) add(hostOf(completeAddress(text)));
  else if (isPlace) add(findBareHost(text, key));
  if (!text.includes("://")) return;
  const { addresses, more } = findAddresses(text, ENDS_ADDRESS, MAX_ADDRESSES);
  for (const address of addresses) add(hostOf(trimEnd(address)));
  if (more) add(UNREADABLE_HOST);
}

/** Returns the host of a text without a scheme: the part before its path. */
function findBareHost(text: string, key: string): string | undefined {
  const end = text.search(/[/?#\\]/);
  const place = end < 0 ? text : text.slice(0, end);
  const host = place.slice(place.lastIndexOf("@") + 1);
  const isMail = end < 0 && place.includes("@") && /(?:address(?:es)?|to)$/i.test(key);
  // A path or file name, under a property that may hold one.
  if (!ADDRESS_PROPERTY.test(key) && (isFileName(host) || /^\.{0,2}$/.test(host))) return undefined;
  if (isMail || /\s/.test(place) || !isBareHost(host, key)) return undefined;
  return text[end] === "\\" ? UNREADABLE_HOST : hostOf(`http://${place}`);
}

function trimEnd(address: string): string {
  let end = address.length;
  while (end > 0 && AFTER_ADDRESS.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/**
 * A single word can be anything, unless its property says that it is a host or it is an address written as one number.
 */
function isBareHost(text: string, key: string): boolean {
  const isNamed = ADDRESS_PROPERTY.test(key);
  if (HOST_AND_PORT.test(text))
    return (
      /[.:]|^localhost$/i.test(text) ||
      /host(?:name)?$/i.test(key) ||
      (isNamed && /^(?:\d{8,10}|0x[0-9a-f]{7,8}|0[0-7]{9,11})$/i.test(text))
    );
  // Browsers still read a host here: other dots, escapes, invisible characters.
  const isOdd = isNamed && text.length <= MAX_HOST && /[.\u3002\uff0e\uff61%]/.test(text);
  return isOdd && parseUrl(`http://${text}`) !== undefined;
}

/** Completes the address as a browser does. */
function completeAddress(address: string): string {
  return URL.canParse(address, "http://x") ? new URL(address, "http://x").href : `x://${UNREADABLE_HOST}!`;
}
