import type { TokenScope } from "../../contract/caller.ts";
import { html, type Markup } from "../api/pages/html.ts";
import { page as smallPage } from "../api/pages/small-pages.ts";
import {
  type AuthorizationRequest,
  REQUEST_PARAMETERS,
  type RequestParameters,
} from "./authorization-request.ts";
import type { OAuthClient } from "./client.ts";
import { isLoopback } from "./redirect-uri.ts";

/** How often the page checks whether the person has signed in. */
const LOOK_AGAIN_SECONDS = 3;
/** Relative, so that it also works if the public URL has a path. */
const AUTHORIZE = "authorize";

export interface ConsentView {
  readonly client: OAuthClient;
  readonly parameters: RequestParameters;
  readonly request: AuthorizationRequest;
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  readonly seal: string;
  /** The client has to return within this time. */
  readonly renewalDays: number;
}

/** Where a person decides. Has no script and loads nothing; everything that the client wrote is escaped. */
export function renderConsentPage(view: ConsentView): string {
  const { client, parameters, agents } = view;
  return renderPage(html`
    <header><h1>May ${client.name} use Toolkeep?</h1></header>
    <section>
      <p>It wants to use tools as one of your agents. Say yes only if you started this yourself, just now.</p>
      <table><tbody>
        <tr><th scope="row">Client</th><td>${client.name}</td></tr>
        <tr><th scope="row">Vouched for by</th><td>${renderVoucher(client)}</td></tr>
        <tr><th scope="row">Sends you back to</th><td>${renderTarget(new URL(parameters.redirect_uri!))}</td></tr>
        <tr><th scope="row">Wants to reach</th><td><code>${parameters.resource}</code></td></tr>
      </tbody></table>
    </section>
    ${
      agents.length === 0
        ? html`<section><p class="problem">There is no agent that it could act as. Create one, then load this page again:</p>
            <code>toolkeep agent create NAME</code></section>`
        : renderForm(view)
    }
  `);
}

/**
 * Shown without a session. Reloads itself, so that it continues once the person has signed in elsewhere in the browser.
 * `ownHost` is the host of this page and `linkHost` that of printed links; a session is valid at one host only.
 */
export function renderSignInPage(query: URLSearchParams, ownHost: string, linkHost: string): string {
  const url = `${AUTHORIZE}?${query}`;
  return renderPage(
    html`
      <header><h1>Sign in to Toolkeep first</h1></header>
      <section>
        <p>A client wants to use Toolkeep, and only you can decide that. Run this command on the machine where Toolkeep
        runs, and open the link it prints in this browser${
          ownHost === linkHost
            ? ":"
            : html`, with <strong>${ownHost}</strong> in place of <strong>${linkHost}</strong>, because
        this page is at <strong>${ownHost}</strong> and a session counts only where it began:`
        }</p>
        <code>${ownHost === linkHost ? "toolkeep open" : "toolkeep open --print"}</code>
        <p>This page then goes on by itself. <a href="${url}">Go on now</a></p>
      </section>
    `,
    html`<meta http-equiv="refresh" content="${LOOK_AGAIN_SECONDS};url=${url}">`,
  );
}

/** Shown for a request that cannot be granted; `back` leads to the client, which gets the same error. */
export function renderRefusedPage(
  message: string,
  back?: { readonly name: string; readonly url: string },
): string {
  return renderPage(html`
    <header><h1>This cannot be granted</h1></header>
    <section>
      <p class="problem">${message}.</p>
      ${back === undefined ? "" : html`<p><a href="${back.url}" rel="noreferrer">Back to ${back.name}</a></p>`}
    </section>
  `);
}

function renderForm({ parameters, request, agents, seal, renewalDays }: ConsentView): Markup {
  return html`<form method="post" action="${AUTHORIZE}">
    ${REQUEST_PARAMETERS.map((name) => renderHidden(name, parameters[name]))}
    ${renderHidden("seal", seal)}
    <fieldset>
      <legend>As which agent?</legend>
      ${agents.map(({ name, description }) => renderAgentChoice(name, description, agents.length === 1))}
    </fieldset>
    <fieldset>
      <legend>With tools of which scopes?</legend>
      ${request.scopes.map((scope) => renderScopeChoice(scope, request.proposed.includes(scope)))}
    </fieldset>
    <p>It may go on for as long as it comes back within ${renewalDays} days. To end that, run
    <code>toolkeep token list</code> and <code>toolkeep token revoke ID</code>.</p>
    <p>
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" formnovalidate>Deny</button>
    </p>
  </form>`;
}

function renderAgentChoice(name: string, description: string, isOnly: boolean): Markup {
  return html`<p><label>
    <input type="radio" name="agent" value="${name}" required${isOnly ? html` checked` : ""}>
    <strong>${name}</strong> ${description}
  </label></p>`;
}

function renderScopeChoice(scope: TokenScope, isProposed: boolean): Markup {
  const checked = isProposed ? html` checked` : "";
  return html`<label><input type="checkbox" name="allowed" value="${scope}"${checked}> ${scope}</label> `;
}

function renderHidden(name: string, value: string | undefined): Markup | string {
  return value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}">`;
}

function renderVoucher({ host }: OAuthClient): Markup {
  return host === null
    ? html`<strong>nobody</strong>: it introduced itself, and may call itself as it likes`
    : html`<code>${host}</code>`;
}

function renderTarget(url: URL): Markup {
  if (isLoopback(url))
    return html`<code>${url.host}</code>, a program on the machine of this browser; any program there could pose as it`;
  return url.protocol === "https:"
    ? html`<code>${url.host}</code>`
    : html`<code>${url.protocol}</code>, a program on the machine of this browser`;
}

function renderPage(body: Markup, head?: Markup): string {
  return smallPage(body, "../", head);
}
