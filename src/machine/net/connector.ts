import type { LookupAddress } from "node:dns";
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import type { buildConnector } from "undici";
import type { ClientTls } from "./client-tls.ts";

/** Every address of a host name; rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  /** Asked once for each connection, which goes to one of these addresses and nowhere else. */
  readonly resolve: Resolve;
  /** Why the host must not be connected to; asked with no address before it is resolved, and again with all of them. */
  readonly refuse: (host: string, addresses: readonly LookupAddress[]) => Error | undefined;
  /** Told of every socket before it connects. */
  readonly onSocket: (socket: Socket, host: string, addresses: readonly LookupAddress[]) => void;
  /** From asking for the address to the end of the TLS handshake. */
  readonly timeoutMs: number;
  readonly tls: ClientTls | undefined;
}

type Target = buildConnector.Options;

/** How undici opens a connection. */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    let socket: Socket | undefined;
    let isOver = false;
    const end = (error?: Error) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error === undefined) return callback(null, socket!);
      socket?.destroy();
      callback(error, null);
    };
    const timer = setTimeout(() => end(tooSlow(target.hostname, options.timeoutMs)), options.timeoutMs);

    const open = (addresses: readonly LookupAddress[]) => {
      if (isOver) return;
      const refusal = options.refuse(target.hostname, addresses);
      if (refusal) return end(refusal);
      socket = openSocket(target, addresses, options.tls);
      // Listens for good: an error between two owners of the socket would end the process.
      socket.on("error", end).once("close", () => end(new Error("the connection was closed")));
      socket.once(target.protocol === "https:" ? "secureConnect" : "connect", () => end());
      options.onSocket(socket, target.hostname, addresses);
    };
    addressesOf(target.hostname, options).then(open).catch(end);
  };
}

async function addressesOf(
  host: string,
  { refuse, resolve }: ConnectorOptions,
): Promise<readonly LookupAddress[]> {
  const refusal = refuse(host, []);
  if (refusal) throw refusal;
  const family = isIP(host);
  return family === 0 ? resolve(host) : [{ address: host, family }];
}

function openSocket(
  { hostname, protocol, port }: Target,
  addresses: readonly LookupAddress[],
  tls: ClientTls | undefined,
): Socket {
  const where = { host: hostname, lookup: alwaysTo(addresses) };
  const socket =
    protocol === "https:"
      ? connectSecure({
          ...where,
          cert: tls?.cert,
          key: tls?.key,
          ca: tls?.ca,
          port: Number(port || 443),
          // Not what a Host header says: the certificate has to be that of the host in the URL.
          ...(isIP(hostname) === 0 && { servername: hostname.replace(/\.$/, "") }),
          ALPNProtocols: ["http/1.1"],
        })
      : connectPlain({ ...where, port: Number(port || 80) });
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

/** Not asked where the host is an address. */
function alwaysTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (host, { all }, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error(`${host} has no address`), "");
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

function tooSlow(host: string, ms: number): Error {
  return Object.assign(new Error(`connecting to ${host} took more than ${ms / 1000} s`), {
    code: "UND_ERR_CONNECT_TIMEOUT", // as undici says it: nothing was sent
  });
}

const KEEP_ALIVE_MS = 60_000;
