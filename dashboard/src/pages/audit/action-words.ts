import type { ActionView } from "../../api/contract.ts";

/** What somebody did, as people say it. */
export interface Worded {
  /** "Disabled the server" */
  readonly what: string;
  /** What it was done to: a name or id; "" where the record names nothing. */
  readonly name: string;
  /** Where that is shown; undefined where there is no such page, or it may be gone. */
  readonly to?: string;
  /** It was refused or failed. */
  readonly failed: boolean;
}

/** By route, in the past tense; the name in the address follows. `test/dashboard/words.test.ts` holds it to the routes there are. */
const ROUTES: Readonly<Record<string, string>> = {
  "DELETE /session": "Signed out",
  "POST /login-links": "Created a sign-in link",
  "POST /people": "Added a person",
  "PATCH /people/:name": "Changed the person",
  "DELETE /people/:name": "Removed the person",
  "DELETE /people/:name/sessions": "Signed out everywhere the person",
  "DELETE /people/:name/sessions/:id": "Ended a session of the person",
  "POST /agents": "Created an agent",
  "PATCH /agents/:name": "Changed the agent",
  "DELETE /agents/:name": "Deleted the agent",
  "POST /agents/:name/messages/read": "Marked messages as read for the agent",
  "POST /tokens": "Created a token",
  "DELETE /tokens/:id": "Revoked the token",
  "POST /toolboxes": "Created a toolbox",
  "PATCH /toolboxes/:name": "Changed the toolbox",
  "DELETE /toolboxes/:name": "Deleted the toolbox",
  "POST /servers": "Added a server",
  "PATCH /servers/:name": "Changed the server",
  "DELETE /servers/:name": "Removed the server",
  "POST /servers/:name/test": "Tested the server",
  "POST /servers/:name/approve": "Approved the server",
  "POST /servers/:name/enable": "Enabled the server",
  "POST /servers/:name/disable": "Disabled the server",
  "POST /servers/:name/trust": "Trusted the server",
  "POST /servers/:name/untrust": "No longer trusted the server",
  "POST /servers/:name/accept": "Accepted changes of the server",
  "POST /servers/:name/reject": "Rejected changes of the server",
  "POST /servers/:name/auth": "Began to sign in to the server",
  "DELETE /servers/:name/auth": "Signed out of the server",
  "POST /servers/:name/auth/complete": "Signed in to the server",
  "POST /mcp/servers/test": "Tested a server that is not registered",
  "PUT /tools/:name/capabilities": "Set the capabilities of the tool",
  "POST /plugins": "Installed a plugin",
  "DELETE /plugins/:name": "Removed the plugin",
  "POST /plugins/:name/enable": "Enabled the plugin",
  "POST /plugins/:name/disable": "Disabled the plugin",
  "POST /plugins/:name/update": "Updated the plugin",
  "POST /imports": "Imported servers",
  "POST /imports/pasted": "Looked at pasted settings",
  "POST /imports/preview": "Looked at what an import would do",
  "POST /access/preview": "Looked at what a change of access would do",
  "POST /custom-tools": "Created a custom tool",
  "DELETE /custom-tools/:name": "Removed the custom tool",
  "POST /custom-tools/:name/enable": "Enabled the custom tool",
  "POST /custom-tools/:name/disable": "Disabled the custom tool",
  "POST /custom-tools/:name/try": "Tried the custom tool",
  "POST /call": "Called a tool",
  "POST /call/stream": "Called a tool",
  "POST /audit/verify": "Verified the audit",
  "POST /tasks": "Gave a task",
  "POST /tasks/:id/cancel": "Cancelled the task",
  "POST /projects": "Created a project",
  "PATCH /projects/:name": "Changed the project",
  "DELETE /projects/:name": "Deleted the project",
  "POST /projects/:name/notes": "Added a note to the project",
  "PATCH /projects/:name/notes/:id": "Changed a note of the project",
  "DELETE /projects/:name/notes/:id": "Deleted a note of the project",
  "POST /tickets": "Created a ticket",
  "PATCH /tickets/:name": "Changed the ticket",
  "DELETE /tickets/:name": "Deleted the ticket",
  "POST /tickets/:name/comments": "Commented on the ticket",
  "DELETE /tickets/:name/comments/:id": "Deleted a comment on the ticket",
  "POST /memories": "Added a memory",
  "PATCH /memories/:id": "Changed the memory",
  "DELETE /memories/:id": "Deleted the memory",
  "POST /memories/:id/retract": "Took back the memory",
  "POST /sources": "Added a source",
  "PATCH /sources/:name": "Changed the source",
  "DELETE /sources/:name": "Removed the source",
  "POST /sources/test": "Tested a source",
  "POST /sync": "Started a sync",
  "POST /inbox": "Added to the inbox",
  "PUT /secrets/:name": "Set the secret",
  "DELETE /secrets/:name": "Deleted the secret",
  "POST /secrets/:name/bind": "Widened who may use the secret",
  "POST /secrets/:name/unbind": "Narrowed who may use the secret",
  "POST /vault/rotate-key": "Rotated the key of the vault",
  "POST /questions/:id/answer": "Answered the question",
  "POST /questions/:id/dismiss": "Dismissed the question",
  "POST /rules": "Added a rule",
  "PUT /rules/:id": "Changed the rule",
  "DELETE /rules/:id": "Removed the rule",
  "POST /rules/check": "Checked a draft of a rule",
  "POST /rules/explain": "Looked at what the rules say to a call",
  "POST /rules/simulate": "Tested rules against recent calls",
  "DELETE /labels": "Cleared the labels of conversations",
  "POST /approvals/:id/approve": "Approved the call",
  "POST /approvals/:id/reject": "Rejected the call",
  "POST /notifications/:id/dismiss": "Dismissed the notification",
  "POST /backup": "Saved a backup",
  "PATCH /settings": "Changed settings",
  "POST /trust": "Trusted a project file",
  "DELETE /trust": "No longer trusted a project file",
};

/** The page of what the first word of an address names. */
const PAGES: Readonly<Record<string, string>> = {
  servers: "/servers",
  agents: "/agents",
  toolboxes: "/toolboxes",
  tools: "/tools",
  secrets: "/vault",
  people: "/users",
  rules: "/rules",
  approvals: "/approvals",
  questions: "/approvals",
  tickets: "/tasks/tickets",
  projects: "/tasks/projects",
  tasks: "/tasks/given",
  sources: "/knowledge/sources",
  memories: "/knowledge/memories",
};

const KINDS: Readonly<Record<string, string>> = {
  "admin.login": "Signed in",
  "admin.login_failed": "Failed to sign in",
  "admin.logout": "Signed out",
  "admin.consent": "Let a client act as the agent",
  intent: "Is about to run the destructive tool",
  "question.answered": "Answered",
  "question.dismissed": "Dismissed a question",
  "question.expired": "Nobody answered in time",
  opened: "Toolkeep began to write the audit",
  "audit.pruned": "Removed old records that had been altered",
  lost: "Records of the audit were lost",
};

const ANSWERS: Readonly<Record<string, string>> = {
  once: "Allowed once",
  conversation: "Allowed for the conversation",
  always: "Allowed always",
  reject: "Rejected",
  grant: "Gave access to",
  refuse: "Refused access to",
};

export function actionInWords({
  kind,
  subject,
  details,
}: Pick<ActionView, "kind" | "subject" | "details">): Worded {
  const about = typeof details === "object" && details !== null ? (details as Record<string, unknown>) : {};
  if (kind === "admin")
    return requestInWords(String(about.route ?? ""), subject ?? "", Number(about.status ?? 0));
  const text = (name: string) => (typeof about[name] === "string" ? (about[name] as string) : "");
  if (kind === "question.answered") {
    const isOurs = text("kind") === "approval" || text("kind") === "access";
    const what = isOurs ? ANSWERS[text("answer")] : undefined;
    const to = subject === null ? {} : { to: `/approvals/${encodeURIComponent(subject)}` };
    return { what: what ?? "Answered a question", name: text("tool"), ...to, failed: false };
  }
  if (kind === "intent")
    return {
      what: KINDS.intent!,
      name: text("tool") || text("requested"),
      ...(subject === null ? {} : { to: `/audit/${encodeURIComponent(subject)}` }),
      failed: false,
    };
  const name = kind === "admin.consent" ? (subject ?? "") : "";
  return { what: KINDS[kind] ?? kind, name, failed: kind === "admin.login_failed" || kind === "lost" };
}

/** Whether a route has words of its own: for the test. */
export function hasWords(route: string): boolean {
  return ROUTES[withoutPrefix(route)] !== undefined;
}

function requestInWords(route: string, subject: string, status: number): Worded {
  const known = withoutPrefix(route);
  const failed = status >= 400;
  const what = ROUTES[known] ?? known;
  // `servers/github/test`: what the address names. A name with a slash in it is cut there.
  const [first = "", second = ""] = subject.split("/");
  const name = /^[A-Z]+ \/[\w-]+\/:/.test(known) && !isId(second) ? second : "";
  const page = PAGES[first];
  const isGone = known.startsWith("DELETE") && known.split("/").length === 3;
  const isLinked = page !== undefined && /\/:/.test(known) && !isGone;
  return { what, name, ...(isLinked && { to: `${page}/${encodeURIComponent(second)}` }), failed };
}

/** `qst_m9yyr5d6ghtcmfrwwga0` says nothing to a person. */
function isId(name: string): boolean {
  return /^[a-z]{3}_[0-9a-z]{16,}$/.test(name);
}

function withoutPrefix(route: string): string {
  return route.replace(" /api/", " /");
}
