import type { FastifyRequest } from "fastify";

const NAME = "toolkeep_session";

/**
 * The session that a browser brings along, whether it is known or not. `url`: where people reach this process. Where
 * that is https, only a cookie that no other host and no page without encryption could have set.
 */
export function sessionOf({ headers }: Pick<FastifyRequest, "headers">, url: string): string | undefined {
  const wanted = nameAt(url);
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === wanted) return value;
  }
  return undefined;
}

/** The header that gives a browser its session. */
export function sessionCookie(session: string, maxAgeSeconds: number, url: string): string {
  const secure = isSecure(url) ? "; Secure" : "";
  return `${nameAt(url)}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}

/** The header that takes it away. */
export function noSessionCookie(url: string): string {
  return sessionCookie("", 0, url);
}

function nameAt(url: string): string {
  return isSecure(url) ? `__Host-${NAME}` : NAME;
}

function isSecure(url: string): boolean {
  return url.startsWith("https:");
}
