import { IssuerMismatchError, OAuthError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { OAuthRefusal } from "../../../src/machine/oauth-client/oauth.ts";
import { oauthFailure } from "../../../src/machine/oauth-client/oauth-failure.ts";

const describeFailure = (error: unknown) =>
  oauthFailure(error, (text) => text.replaceAll("canary", "[redacted]"));

describe("why there is no token", () => {
  test.each([
    [new OAuthError("invalid_grant", "gone"), { isFinal: true, isGrantGone: true, isClientGone: false }],
    [new OAuthError("invalid_client", "who?"), { isFinal: true, isGrantGone: false, isClientGone: true }],
    [new OAuthError("server_error", "sorry"), { isFinal: false, isGrantGone: false }],
    [new OAuthError("temporarily_unavailable", "later"), { isFinal: false }],
    [new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }), { isFinal: false }],
    [new OAuthRefusal("it issued a token of the kind MAC"), { isFinal: true }],
    [new IssuerMismatchError("metadata", "https://a", "https://b"), { isFinal: true }],
  ])("%s decides whether asking again can help", (error, expected) => {
    expect(describeFailure(error)).toMatchObject(expected);
  });

  test("is told without secrets, in one line of bounded length", () => {
    const { reason } = describeFailure(
      new OAuthError("invalid_grant", `no such token: canary\n\u001b[31m${"x".repeat(10_000)}`),
    );
    expect(reason).toContain("[redacted]");
    expect(reason).not.toContain("canary");
    expect(reason).not.toMatch(/\p{Cc}/u);
    expect(reason.length).toBeLessThanOrEqual(300);
  });

  test("does not repeat what an answer that cannot be read held", () => {
    const unreadable = new OAuthError(
      "server_error",
      "HTTP 502: Invalid OAuth error response: x. Raw body: <html>secret",
    );
    expect(describeFailure(unreadable).reason).toBe("the authorization server answered with HTTP 502");
  });

  test("does not repeat what somebody who made an answer up wrote into it", () => {
    const error = new IssuerMismatchError("authorization_response", "https://a", "https://evil.example.com");
    expect(describeFailure(error).reason).not.toContain("evil");
  });

  test("names why registering was refused", () => {
    const submittedMetadata = { redirect_uris: [] };
    const refused = (body: string) =>
      describeFailure(new RegistrationRejectedError({ status: 400, body, submittedMetadata })).reason;
    expect(refused('{"error":"invalid_redirect_uri","error_description":"not here"}')).toContain(
      "HTTP 400, invalid_redirect_uri, not here",
    );
    expect(refused("<html>")).toContain("HTTP 400)");
  });
});
