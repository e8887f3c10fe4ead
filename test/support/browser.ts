import type { FastifyInstance, LightMyRequestResponse } from "fastify";

export const HOST = "127.0.0.1:19850";
export const ORIGIN = `http://${HOST}`;

export interface Sent {
  readonly method?: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE" | "PUT";
  readonly url: string;
  /** Undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly payload?: object | string;
}

/** A browser that somebody signed in with, over an injected app. */
export interface Browser {
  /** What it sends along by itself. */
  readonly cookie: string;
  readonly csrf: string;
  /** As a page of Toolkeep sends it. */
  send(sent: Sent): Promise<LightMyRequestResponse>;
}

/** Follows a login link and presses the button. */
export async function enter(
  app: FastifyInstance,
  link: string,
  host = HOST,
): Promise<LightMyRequestResponse> {
  const { searchParams } = new URL(link);
  return app.inject({
    method: "POST",
    url: "/login",
    headers: {
      host,
      origin: `http://${host}`,
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "a test",
    },
    payload: new URLSearchParams({ code: searchParams.get("code") ?? "" }).toString(),
  });
}

export function cookieOf(response: Pick<LightMyRequestResponse, "headers">): string {
  return String(response.headers["set-cookie"]).split(";")[0]!;
}

/** `adminToken` makes the link, for the person named or for the owner. */
export async function browser(app: FastifyInstance, adminToken: string, person?: string): Promise<Browser> {
  const made = await app.inject({
    method: "POST",
    url: "/api/login-links",
    headers: { host: HOST, authorization: `Bearer ${adminToken}` },
    payload: person === undefined ? {} : { person },
  });
  const cookie = cookieOf(await enter(app, made.json().url));
  const session = await app.inject({ url: "/api/session", headers: { host: HOST, cookie } });
  const csrf: string = session.json().csrfToken;
  return {
    cookie,
    csrf,
    send({ method = "GET", url, headers = {}, payload }) {
      const sent = { host: HOST, cookie, origin: ORIGIN, "x-toolkeep": csrf, ...headers };
      const given = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return app.inject({
        method,
        url,
        headers: Object.fromEntries(given),
        ...(payload === undefined ? {} : { payload }),
      });
    },
  };
}
