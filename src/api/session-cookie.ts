import type { FastifyRequest } from "fastify";

const NAME = "toolkeep_session";

/** The session that a browser brings along, whether it is known or not. */
export function sessionOf({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === NAME) return value;
  }
  return undefined;
}

/** The header that gives a browser its session. `url`: where people reach this process. */
export function sessionCookie(session: string, maxAgeSeconds: number, url: string): string {
  const secure = url.startsWith("https:") ? "; Secure" : "";
  return `${NAME}=${session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}
