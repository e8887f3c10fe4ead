import type { AgentRecord } from "../store/store.ts";
import type { QuestionView, ServerView, Status } from "./contract.ts";
import { html, type Markup } from "./html.ts";

export interface StatusPage {
  readonly status: Status;
  readonly servers: readonly ServerView[];
  readonly agents: readonly AgentRecord[];
  readonly questions: readonly QuestionView[];
}

/** The whole page as a string. Shows what runs here and which command to type next. */
export function statusPage(view: StatusPage): string {
  const { status } = view;
  return page(html`
    <header>
      <h1>Toolkeep</h1>
      <p>version ${status.version} · ${status.store} store · ${status.url}</p>
    </header>
    ${nextSteps(view)}
    ${questionSection(view.questions)}
    ${serverSection(view.servers)}
    ${agentSection(view.agents)}
  `);
}

/** For whoever comes without a session. */
export function signInPage(problem?: string): string {
  return page(html`
    <header><h1>Toolkeep</h1></header>
    <section>
      ${problem === undefined ? "" : html`<p class="problem">${problem}</p>`}
      <p>To see this page, run this command on the machine where Toolkeep runs and follow the link it prints:</p>
      ${commandLine("toolkeep open")}
    </section>
  `);
}

function nextSteps({ status, servers, agents, questions }: StatusPage): Markup {
  const steps: { why: string; command: string }[] = [];
  const pending = servers.filter((server) => server.state === "pending_approval");
  const signedOut = servers.filter((server) => server.state === "needs_auth");
  const broken = servers.filter((server) => server.state === "unavailable");
  if (servers.length === 0)
    steps.push({ why: "Register a first server", command: "toolkeep server add NAME -- COMMAND ARGS…" });
  if (agents.length === 0) steps.push({ why: "Create an agent", command: "toolkeep agent create NAME" });
  if (questions[0])
    steps.push({
      why: "Answer what an agent asked",
      command: `toolkeep question answer ${questions[0].id} TEXT`,
    });
  if (pending[0])
    steps.push({
      why: "Look at a server that waits for you",
      command: `toolkeep server show ${pending[0].name}`,
    });
  if (signedOut[0])
    steps.push({
      why: "Sign in to a server",
      command: `toolkeep server auth ${signedOut[0].name}`,
    });
  if (broken[0])
    steps.push({
      why: "Find out why a server is unavailable",
      command: `toolkeep server test ${broken[0].name}`,
    });
  if (status.notifications > 0)
    steps.push({ why: "Read the notifications", command: "toolkeep notification list" });
  if (steps.length === 0) return html`<section><p class="calm">Nothing waits for you.</p></section>`;
  return html`<section>
    <h2>What to do next</h2>
    <ul>${steps.map(({ why, command }) => html`<li>${why}: ${commandLine(command)}</li>`)}</ul>
  </section>`;
}

function questionSection(questions: readonly QuestionView[]): Markup | string {
  if (questions.length === 0) return "";
  return table(
    "Pending questions",
    ["Id", "Agent", "Kind", "Question"],
    questions.map((question) => [question.id, question.agent, question.kind, question.prompt]),
  );
}

function serverSection(servers: readonly ServerView[]): Markup {
  const byState = [...servers].sort((a, b) => a.state.localeCompare(b.state) || a.name.localeCompare(b.name));
  return table(
    "Servers",
    ["Name", "State", "Tools", "Last error"],
    byState.map((server) => [
      server.name,
      server.state.replace("_", " "),
      server.toolCount,
      server.lastError ?? "",
    ]),
  );
}

function agentSection(agents: readonly AgentRecord[]): Markup {
  return table(
    "Agents",
    ["Name", "Toolboxes", "Description"],
    agents.map((agent) => [agent.name, agent.toolboxes.join(", ") || "core only", agent.description]),
  );
}

function table(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup {
  return html`<section>
    <h2>${title}</h2>
    ${
      rows.length === 0
        ? html`<p>None yet.</p>`
        : html`<table>
            <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
            <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
          </table>`
    }
  </section>`;
}

function commandLine(command: string): Markup {
  return html`<code>${command}</code>`;
}

function page(body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolkeep</title>
<link rel="stylesheet" href="/style.css">
</head>
<body><main>${body}</main></body>
</html>
`.text;
}

export const STYLESHEET = `:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
section { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th { white-space: nowrap; overflow-wrap: normal; }
code { background: var(--soft); padding: .15rem .4rem; border-radius: .3rem; font-size: .9em; }
li { margin: .4rem 0; }
.problem { font-weight: 600; }
`;
