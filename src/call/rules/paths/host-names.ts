/** The hosts in one value of a call, as all readers or some reader may understand it. */
import { isIPv6 } from "node:net";
import { hostName, hostNames, MAX_HOST } from "../../../lib/address/host-name.ts";
import { authorityOf, hostOf, parseUrl, UNREADABLE_HOST } from "../../../lib/address/hosts-in.ts";

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
/** What browsers read as an address, however many slashes follow. */
const WEB = /^(?:https?|wss?|ftp):/i;
/** The form that `scp` and `git` use. */
const SCP_ADDRESS = /^[\w.-]+@([\w.-]+):(?!\/\/)[^@]*$/;

/** The host that every reader finds in it; undefined where some may find another, or none. */
export function certainHostOf(value: string): string | undefined {
  if (/^[\s/\\]|\s$|[\t\r\n\\]/.test(value)) return undefined;
  const scp = SCP_ADDRESS.exec(value);
  if (scp) return hostName(scp[1]!);
  const host = hostOf(ADDRESS.test(value) ? value : `http://${value}`);
  return host === undefined || host === UNREADABLE_HOST ? undefined : hostName(host.replace(/:\d+$/, ""));
}

/** Every host that some reader may find in it. Undefined: nobody can tell. */
export function possibleHostsOf(value: string): readonly string[] | undefined {
  const text = value.trim().replace(/[\t\r\n]+/g, "");
  // A path on whichever host it is used with.
  if (/^[/\\](?![/\\])/.test(text)) return [];
  // An IPv6 address without brackets.
  if (/^[0-9a-f:]*:[0-9a-f:.]*(?:%\w+)?$/i.test(text) && isIPv6(text.split("%")[0]!)) return hostNames(text);
  const isAddress = ADDRESS.test(text);
  const afterScheme = text.slice(isAddress ? text.indexOf("://") + 3 : 0).replace(/^[/\\]+/, "");
  const authority = authorityOf(`x://${afterScheme}`);
  if (authority.length > MAX_HOST) return undefined;
  const found = new Set<string>();
  const add = (host: string) => {
    for (const name of hostNames(host)) found.add(name);
  };
  for (const url of WEB.test(text)
    ? [text]
    : isAddress
      ? [text, `http://${afterScheme}`]
      : [`http://${afterScheme}`]) {
    const hostname = parseUrl(url)?.hostname ?? "";
    if (hostname !== "") add(hostname);
  }
  const scp = SCP_ADDRESS.exec(text);
  if (scp) add(scp[1]!);
  // Readers that take another character for the end of the user or host part reach another host.
  const parts = authority.split(/[@\\]/, 20);
  if (parts.length > (authority.includes("\\") ? 1 : 2))
    for (const part of parts) if (part !== "") add(part.replace(/:[^:]*$/, ""));
  return found.size === 0 && (isAddress || WEB.test(text)) && authority !== "" ? undefined : [...found];
}
