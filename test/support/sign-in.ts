import type { OAuthServers } from "./servers/oauth.ts";
import { type TestUpstream, testUpstream } from "./upstream.ts";

export const CALLBACK = "http://127.0.0.1:19850/oauth/callback";

/** Where the authorization server sends the person who followed the link. */
export async function visitLink(up: TestUpstream, remote: OAuthServers): Promise<URL> {
  const { url } = await up.upstream.beginSignIn("remote", { redirectUri: CALLBACK });
  if (url === null) throw new Error("there is no link to follow");
  return await remote.visit(url);
}

/** A person signs in to the server `remote`, which then is connected to. */
export async function signIn(up: TestUpstream, remote: OAuthServers): Promise<void> {
  await up.upstream.completeSignIn((await visitLink(up, remote)).searchParams);
  await up.upstream.settled();
}

/** An upstream in which `remote` is registered and, unless it cannot be, was connected to once. */
export async function upstreamWith(
  remote: OAuthServers,
  input: Parameters<TestUpstream["upstream"]["add"]>[1] = {},
  setup: Parameters<typeof testUpstream>[0] = {},
): Promise<TestUpstream> {
  const up = await testUpstream(setup);
  await up.upstream.add("remote", { url: remote.url, ...input });
  await up.upstream.settled();
  return up;
}

/** Everything that anybody was told, as one text. */
export async function everythingSaid(up: TestUpstream): Promise<string> {
  const notifications = await up.store.notifications.list({ dismissed: true });
  const { states, warnings, upstream } = up;
  const status = await upstream.signInStatus("remote");
  const log = upstream.logs("remote");
  return JSON.stringify({ states, warnings, notifications, servers: upstream.servers(), status, log });
}
