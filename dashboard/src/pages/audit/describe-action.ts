import type { ActionView } from "../../api/contract.ts";

/** An audited action as people read it. */
export interface ActionDescription {
  /** "Disabled the server" */
  readonly title: string;
  /** The name or id of the target; "" when the record names none. */
  readonly name: string;
  /** The page of the target; undefined when there is none or it may be gone. */
  readonly to?: string;
  /** Whether it was refused or failed. */
  readonly hasFailed: boolean;
}

/** Titles by route, in the past tense and followed by the target's name. `test/dashboard/words.test.ts` checks that every route has one. */
const ROUTE_TITLES: Readonly<Record<string, string>> = {
  "DELETE /session": "Signed out",
  "POST /login-links": "Created a login link",
  "POST /people": "Added a person",
  "PATCH /people/:name": "Changed the person",
  "DELETE /people/:name": "Removed the person",
  "DELETE /people/:name/sessions": "Ended all sessions of the person",
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
  "POST /servers/:name/untrust": "Stopped trusting the server",
  "POST /servers/:name/accept": "Accepted changes of the server",
  "POST /servers/:name/reject": "Rejected changes of the server",
  "POST /servers/:name/auth": "Started to sign in to the server",
  "DELETE /servers/:name/auth": "Signed out of the server",
  "POST /servers/:name/auth/complete": "Signed in to the server",
  "POST /mcp/servers/test": "Tested unsaved server settings",
  "PUT /tools/:name/capabilities": "Set the capabilities of the tool",
  "POST /plugins": "Installed a plugin",
  "DELETE /plugins/:name": "Removed the plugin",
  "POST /plugins/:name/enable": "Enabled the plugin",
  "POST /plugins/:name/disable": "Disabled the plugin",
  "POST /plugins/:name/update": "Updated the plugin",
  "POST /imports": "Imported servers",
  "POST /imports/pasted": "Previewed pasted settings",
  "POST /imports/preview": "Previewed an import",
  "POST /access/preview": "Previewed an access change",
  "POST /custom-tools": "Created a custom tool",
  "DELETE /custom-tools/:name": "Removed the custom tool",
  "POST /custom-tools/:name/enable": "Enabled the custom tool",
  "POST /custom-tools/:name/disable": "Disabled the custom tool",
  "POST /custom-tools/:name/try": "Tried the custom tool",
  "POST /call": "Called a tool",
  "POST /call/stream": "Called a tool",
  "POST /audit/verify": "Verified the audit log",
  "POST /tasks": "Created a task",
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
  "POST /memories/:id/retract": "Retracted the memory",
  "POST /sources": "Added a source",
  "PATCH /sources/:name": "Changed the source",
  "DELETE /sources/:name": "Removed the source",
  "POST /sources/test": "Tested a source",
  "POST /sync": "Started a sync",
  "POST /inbox": "Added to the inbox",
  "PUT /secrets/:name": "Set the secret",
  "DELETE /secrets/:name": "Deleted the secret",
  "POST /secrets/:name/bind": "Extended access to the secret",
  "POST /secrets/:name/unbind": "Restricted access to the secret",
  "POST /vault/rotate-key": "Rotated the vault key",
  "POST /questions/:id/answer": "Answered the question",
  "POST /questions/:id/dismiss": "Dismissed the question",
  "POST /rules": "Added a rule",
  "PUT /rules/:id": "Changed the rule",
  "DELETE /rules/:id": "Removed the rule",
  "POST /rules/check": "Checked a rule draft",
  "POST /rules/explain": "Tested a call against the rules",
  "POST /rules/simulate": "Tested rules against recent calls",
  "DELETE /labels": "Cleared conversation labels",
  "POST /approvals/:id/approve": "Approved the call",
  "POST /approvals/:id/reject": "Rejected the call",
  "POST /notifications/:id/dismiss": "Dismissed the notification",
  "POST /backup": "Created a backup",
  "PATCH /settings": "Changed settings",
  "POST /trust": "Trusted a project file",
  "DELETE /trust": "Stopped trusting a project file",
};

/** Dashboard pages by the first segment of an API path. */
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

const KIND_TITLES: Readonly<Record<string, string>> = {
  "admin.login": "Signed in",
  "admin.login_failed": "Failed to sign in",
  "admin.logout": "Signed out",
  "admin.consent": "Allowed a client to act as the agent",
  intent: "About to run the destructive tool",
  "question.answered": "Answered",
  "question.dismissed": "Dismissed a question",
  "question.expired": "A question expired unanswered",
  opened: "Started the audit log",
  "audit.pruned": "Removed old records that had been altered",
  lost: "Lost audit records",
};

const ANSWER_TITLES: Readonly<Record<string, string>> = {
  once: "Allowed once",
  conversation: "Allowed in the conversation",
  always: "Always allowed",
  reject: "Rejected",
  grant: "Granted",
  refuse: "Refused to grant",
};

export function describeAction({
  kind,
  subject,
  details,
}: Pick<ActionView, "kind" | "subject" | "details">): ActionDescription {
  const fields = typeof details === "object" && details !== null ? (details as Record<string, unknown>) : {};
  if (kind === "admin")
    return describeRequest(String(fields.route ?? ""), subject ?? "", Number(fields.status ?? 0));
  const readText = (name: string) => (typeof fields[name] === "string" ? (fields[name] as string) : "");
  if (kind === "question.answered") {
    const isApprovalOrAccess = readText("kind") === "approval" || readText("kind") === "access";
    const answerTitle = isApprovalOrAccess ? ANSWER_TITLES[readText("answer")] : undefined;
    const to = subject === null ? {} : { to: `/approvals/${encodeURIComponent(subject)}` };
    return { title: answerTitle ?? "Answered a question", name: readText("tool"), ...to, hasFailed: false };
  }
  if (kind === "intent")
    return {
      title: KIND_TITLES.intent!,
      name: readText("tool") || readText("requested"),
      ...(subject === null ? {} : { to: `/audit/${encodeURIComponent(subject)}` }),
      hasFailed: false,
    };
  const name = kind === "admin.consent" ? (subject ?? "") : "";
  return {
    title: KIND_TITLES[kind] ?? kind,
    name,
    hasFailed: kind === "admin.login_failed" || kind === "lost",
  };
}

/** Whether a route has a title. For the test. */
export function hasDescription(route: string): boolean {
  return ROUTE_TITLES[removePrefix(route)] !== undefined;
}

function describeRequest(route: string, subject: string, status: number): ActionDescription {
  const known = removePrefix(route);
  const hasFailed = status >= 400;
  const title = ROUTE_TITLES[known] ?? known;
  // `servers/github/test`: the second segment is the name. A name that contains a slash is cut there.
  const [first = "", second = ""] = subject.split("/");
  const name = /^[A-Z]+ \/[\w-]+\/:/.test(known) && !isId(second) ? second : "";
  const page = PAGES[first];
  const isGone = known.startsWith("DELETE") && known.split("/").length === 3;
  const isLinked = page !== undefined && /\/:/.test(known) && !isGone;
  return { title, name, ...(isLinked && { to: `${page}/${encodeURIComponent(second)}` }), hasFailed };
}

/** Whether a name is a generated id such as `qst_m9yyr5d6ghtcmfrwwga0`, which means nothing to a person. */
function isId(name: string): boolean {
  return /^[a-z]{3}_[0-9a-z]{16,}$/.test(name);
}

function removePrefix(route: string): string {
  return route.replace(" /api/", " /");
}
