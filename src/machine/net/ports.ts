import { FetchRefused } from "./fetch-refused.ts";

/** Which ports may be asked, and where people say so. */
export interface Ports {
  /** Empty: every port that is not one of another protocol. */
  readonly allowed: readonly number[];
  /** For the message. */
  readonly setting: string;
}

/** Undefined when `port` of `host` may be asked. */
export function refusalOfPort(host: string, port: number, { allowed, setting }: Ports): Error | undefined {
  if (OF_OTHER_PROTOCOLS.has(port))
    return new FetchRefused(
      `port ${port} of ${host} is not asked: that port belongs to another protocol, and browsers refuse it too. Let the server listen on another one.`,
    );
  if (allowed.length === 0 || allowed.includes(port)) return undefined;
  return new FetchRefused(
    `port ${port} of ${host} may not be asked, only ${allowed.join(", ")}. If it is meant, a person can add it to ${setting}.`,
  );
}

/** The port of `url`, whether it says it or not. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Those that browsers refuse too (the Fetch Standard's bad ports): what listens there could take a request for a command. */
const OF_OTHER_PROTOCOLS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
