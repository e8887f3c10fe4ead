import { createHash, randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { browser, HOST } from "./browser.ts";
import { ADMIN_TOKEN } from "./test-api.ts";

export { HOST };
export const ADDRESS = `http://${HOST}`;
export const REDIRECT = "http://127.0.0.1:4711/back";

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Where it leads to. */
  readonly location: URL | undefined;
  /** What a browser would send when nothing was changed. */
  readonly form: URLSearchParams;
}

/** A person at a browser, over a listening or an injected app. */
export interface Person {
  readonly cookie: string;
  open(url: string): Promise<Page>;
  /** A header that is null is not sent. */
  submit(form: URLSearchParams, headers?: Readonly<Record<string, string | null>>): Promise<Page>;
}

/** With a session, by a login link; the owner's, unless another person is named. */
export async function signedIn(app: FastifyInstance, name?: string): Promise<Person> {
  return person(app, (await browser(app, ADMIN_TOKEN, name)).cookie);
}

export function person(app: FastifyInstance, cookie = ""): Person {
  return {
    cookie,
    async open(url) {
      const { pathname, search } = new URL(url, ADDRESS);
      return pageOf(await app.inject({ url: pathname + search, headers: { host: HOST, cookie } }));
    },
    async submit(form, headers = {}) {
      return pageOf(
        await app.inject({
          method: "POST",
          url: "/oauth/authorize",
          headers: sent({
            host: HOST,
            cookie,
            origin: ADDRESS,
            "content-type": "application/x-www-form-urlencoded",
            ...headers,
          }),
          payload: form.toString(),
        }),
      );
    },
  };
}

function sent(headers: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null),
  );
}

/** What a client needs to ask, and to prove afterwards that it was the one that asked. */
export function newRequest(clientId: string, change: Readonly<Record<string, string | undefined>> = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const values = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "the state",
    scope: "files mcp",
    resource: `${ADDRESS}/mcp`,
    ...change,
  };
  const query = new URLSearchParams(
    Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return { verifier, url: `/oauth/authorize?${query}` };
}

/** The person says yes: the code that the client gets. */
export async function codeFor(someone: Person, url: string, agent = "main"): Promise<string> {
  const { form, text } = await someone.open(url);
  form.set("agent", agent);
  form.set("decision", "allow");
  const { location } = await someone.submit(form);
  const code = location?.searchParams.get("code");
  if (!code) throw new Error(`no code came: ${text}`);
  return code;
}

/** A form to the token endpoint, or another. */
export async function post(
  app: FastifyInstance,
  url: string,
  values: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
): Promise<{ status: number; body: any; headers: Readonly<Record<string, unknown>> }> {
  const response = await app.inject({
    method: "POST",
    url,
    headers: { host: HOST, "content-type": "application/x-www-form-urlencoded", ...headers },
    payload: new URLSearchParams(values).toString(),
  });
  const body = response.body === "" ? undefined : response.json();
  return { status: response.statusCode, body, headers: response.headers };
}

function pageOf(response: {
  statusCode: number;
  body: string;
  headers: Readonly<Record<string, unknown>>;
}): Page {
  const { location } = response.headers;
  return {
    status: response.statusCode,
    text: response.body,
    headers: response.headers,
    location: typeof location === "string" ? new URL(location, ADDRESS) : undefined,
    form: formIn(response.body),
  };
}

/** Fields that are filled in or ticked. */
export function formIn(html: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [tag] of html.matchAll(/<input [^>]*>/g)) {
    const [type, name, value] = ["type", "name", "value"].map((key) => attribute(tag, key));
    if (type === "hidden" || / checked\b/.test(tag)) form.append(name!, value!);
  }
  return form;
}

function attribute(tag: string, name: string): string {
  const value = new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return value.replace(/&([a-z]+|#39);/g, (whole, entity: string) => entities[entity] ?? whole);
}
