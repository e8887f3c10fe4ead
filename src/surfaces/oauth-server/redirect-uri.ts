import { isLoopbackName } from "../../lib/address/loopback.ts";

const MAX_LENGTH = 2_000;
/** With any port or none. */
const LOOPBACK_START = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;
/** Schemes of known programs without the dot that RFC 8252 requires. */
const APP_SCHEMES = new Set([
  "claude:",
  "cursor:",
  "vscode:",
  "vscode-insiders:",
  "warp:",
  "windsurf:",
  "zed:",
]);

/**
 * Why people must not be sent there; undefined if they may. A code may only go over TLS, to this machine, or to a program
 * whose scheme names it, so that nobody can choose a scheme for what a browser does with it.
 */
export function findRedirectProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `it has more than ${MAX_LENGTH} characters`;
  if (!URL.canParse(uri) || /[^!-~]/.test(uri)) return "it is not a URL";
  const url = new URL(uri);
  if (url.hash !== "" || uri.includes("#")) return "it has a fragment";
  if (url.username !== "" || url.password !== "") return "it has a user name or password";
  if (url.protocol === "https:") return undefined;
  if (url.protocol === "http:")
    return isLoopback(url) ? undefined : "http: is only for this machine; elsewhere it has to be https:";
  return APP_SCHEMES.has(url.protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(url.protocol)
    ? undefined
    : `${url.protocol} is neither https: nor a scheme such as com.example.app:`;
}

/** Whether `uri` exactly equals one of `registered`; on this machine with any port, because programs use a free one. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (findRedirectProblem(uri) !== undefined) return false;
  return registered.includes(uri) || registered.some((one) => differsOnlyInPort(one, uri));
}

/** Whether it leads to a program on the person's own machine, which any program there can impersonate. */
export function isLoopback(url: URL): boolean {
  return url.protocol === "http:" && isLoopbackName(url.hostname);
}

function differsOnlyInPort(registered: string, uri: string): boolean {
  const [a, b] = [registered, uri].map((text) => LOOPBACK_START.exec(text));
  return a != null && b != null && a[1] === b[1] && registered.slice(a[0].length) === uri.slice(b[0].length);
}
