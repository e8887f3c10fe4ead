import { html, type Markup } from "./html.ts";

/** A code is shorter; whatever else is at its place is cut. */
const MAX_CODE = 200;

interface PageLocation {
  /** Leads from the address of the page to where pages are mounted. */
  readonly up?: string;
}

/** The page for people without a session. */
export function signInPage({ up, problem }: PageLocation & { readonly problem?: string } = {}): string {
  return page(
    html`
    <header><h1>Toolkeep</h1></header>
    <section>
      ${problem === undefined ? "" : html`<p class="problem">${problem}</p>`}
      <p>To see this page, run this command on the machine where Toolkeep runs and follow the link it prints:</p>
      ${commandLine("toolkeep open")}
      <p>Or ask an admin for a link of your own: ${commandLine("toolkeep person link NAME")}</p>
    </section>
  `,
    up,
  );
}

/** The page that a login link leads to. The button uses it up, and the address that holds it is left behind. */
export function enterPage(code: string): string {
  return page(html`
    <header><h1>Sign in to Toolkeep</h1></header>
    <section>
      <form method="post" action="login">
        <input type="hidden" name="code" value="${code.slice(0, MAX_CODE)}">
        <p>Press the button if you were given this link just now, for yourself.</p>
        <p><button type="submit">Sign in</button></p>
      </form>
    </section>
  `);
}

/** Replaces the dashboard if it has not been built. */
export function missingPage({ up }: PageLocation): string {
  return page(
    html`
    <header><h1>Toolkeep</h1></header>
    <section>
      <p class="problem">The dashboard has not been built.</p>
      <p>Run this where Toolkeep was cloned, then load the page anew: ${commandLine("npm run build")}</p>
    </section>
  `,
    up,
  );
}

/** The page for an address that does not exist. */
export function noSuchPage({ up }: PageLocation): string {
  return page(
    html`
    <header><h1>No such page</h1></header>
    <section>
      <p class="problem">There is no such page here.</p>
      <p>It may have been renamed, or the address was cut off. <a href="${up ?? "./"}">Go to the dashboard</a></p>
    </section>
  `,
    up,
  );
}

/** From an address to the place that all of them are below, whatever a proxy puts before it. */
export function wayUp(url: string): string {
  // A request line may say `*`, which is below nothing.
  const depth = Math.max(0, url.split("?", 1)[0]!.split("/").length - 2);
  return depth === 0 ? "./" : "../".repeat(depth);
}

function commandLine(command: string): Markup {
  return html`<code>${command}</code>`;
}

/** A page that says one thing, for people who came by a link. */
export function noticePage(content: Markup): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8">
        <title>Toolkeep</title>
        <link rel="stylesheet" href="/style.css">
      </head>
      <body><main><h1>Toolkeep</h1>${content}</main></body>
    </html>`.text
  }`;
}

/** A page of ours without the dashboard; `up`: the way from it to the root, `head`: more for its head. */
export function page(body: Markup, up = "./", head: Markup | string = ""): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolkeep</title>
<link rel="stylesheet" href="${up}style.css">
${head}</head>
<body><main>${body}</main></body>
</html>
`.text;
}

export const STYLESHEET = `:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#f7f7f8, #101114); color: light-dark(#191b20, #e8e9ec); }
main { max-width: 34rem; margin: 0 auto; padding: 4rem 1rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; padding-bottom: .5rem; }
h1 { margin: 0; font-size: 1.4rem; }
a { color: light-dark(#4650c4, #a3abff); }
code { background: var(--soft); padding: .15rem .4rem; border-radius: .3rem; font-size: .9em; }
button { font: inherit; font-weight: 600; padding: .5rem 1rem; border: 0; border-radius: .4rem; background: #4650c4; color: #fff; cursor: pointer; }
.problem { font-weight: 600; }
`;
