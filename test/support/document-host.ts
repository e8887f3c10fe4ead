import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { GuardedFetch } from "../../src/machine/net/guarded-fetch.ts";
import { createAuthority } from "../machine/net/certificates.ts";
import { openFetch } from "../machine/net/open-fetch.ts";
import { tempHome } from "./temp-home.ts";

export interface Served {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `https://client.test`, where clients keep the documents that describe them. */
export interface DocumentHost extends AsyncDisposable {
  readonly origin: string;
  /** By path, or what it does with any. */
  readonly served: Map<string, Served>;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Serves a document of a client that may be sent back to `redirectUris`; its id comes back. */
  client(path: string, redirectUris: readonly string[], change?: object): string;
  /** A fetch that finds and trusts the host. */
  fetch(maxBytes?: number): GuardedFetch;
}

export async function documentHost(): Promise<DocumentHost> {
  const home = await tempHome();
  const { ca, issue } = await createAuthority(home.path);
  const served = new Map<string, Served>();
  const asked: string[] = [];
  const server = createServer(await issue("client.test"), (request, response) => {
    asked.push(request.url ?? "");
    const found = served.get(request.url ?? "") ?? { status: 404, body: "nothing here" };
    response.writeHead(found.status ?? 200, { "content-type": "application/json", ...found.headers });
    response.end(found.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `https://client.test:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    served,
    asked,
    client(path, redirectUris, change = {}) {
      const id = origin + path;
      const document = {
        client_id: id,
        client_name: "A <b>client</b>",
        redirect_uris: redirectUris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        ...change,
      };
      served.set(path, { body: JSON.stringify(document) });
      return id;
    },
    fetch: (maxBytes = 16_384) =>
      openFetch(["client.test"], { maxBytes, tls: { ca, hosts: new Set(["client.test"]) } }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await home[Symbol.asyncDispose]();
    },
  };
}
