/** The shapes of agents, tokens, people, sessions and consents: records, what people send, what they get. */

import { z } from "zod";
import { LABEL, type LabelScope, ROLES, SCOPES } from "../../contract/caller.ts";
import { count, type Infer, longText, names, optional, text, time } from "../../contract/shape.ts";

const role = z.enum(ROLES);
/** A scope that is about a label. */
const labelScope: z.ZodType<LabelScope> = z.templateLiteral(["label:", z.string().regex(LABEL)]);
const scopes = z.array(z.union([z.enum(SCOPES), labelScope]));
const hash = z.string().describe("SHA-256, hex.");
const optionalTime = time.nullable();
const resource = z.string().describe("The only path that it opens, including what is below.");

// Records

const access = z.enum(["read", "write"]);
const headless = z.boolean().describe("What would ask a person is denied.");
const localModel = z.boolean().describe("Its model runs on this machine or near it.");
const coordinator = z.boolean().describe("It leads other agents.");

export const agent = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Set for a sub-agent. */
  parentId: z.string().nullable(),
  /** A sub-agent that only looks around: it has read-only tools, and no sub-agents. */
  scout: z.boolean(),
  toolboxes: z.array(z.string()),
  grants: z.array(z.string()),
  folders: z.array(z.object({ path: z.string(), access })),
  createdAt: time,
  updatedAt: time,
  /** Tools that its lists never leave to `tool_search`, by name. */
  pins: z.array(z.string()),
  /** Null: unknown. */
  model: z.string().nullable(),
  headless,
  /** Such models keep in their lists what they use all the time. */
  localModel,
  /** It keeps in its lists what leading takes. */
  coordinator,
});
export type AgentRecord = Infer<typeof agent>;

export const token = z.object({
  id: z.string(),
  kind: z.enum(["agent", "admin"]),
  /** Null for an admin token. */
  agentId: z.string().nullable(),
  label: z.string(),
  /** The hash of the whole token. */
  hash,
  hint: z.string().describe("The last four characters."),
  scopes: scopes.nullable().describe("Null: every scope of tools."),
  createdAt: time,
  expiresAt: optionalTime,
  lastUsedAt: optionalTime,
  /** The consent that it was issued for, and ends with; null: a person created it. */
  consentId: z.string().nullable(),
  resource: resource.nullable(),
  /** Null: as the settings say. */
  requestsPerMinute: count.nullable(),
  role: role.nullable().describe("What an admin token may do; null: it belongs to an agent."),
  interactive: z.boolean().describe("The person at its client may approve single calls."),
});
export type TokenRecord = Infer<typeof token>;

/** A person's agreement that a client gets tokens of one agent. */
export const consent = z.object({
  id: z.string(),
  agentId: z.string(),
  clientId: z.string(),
  clientName: z.string(),
  scopes,
  resource,
  createdAt: time,
  expiresAt: time,
});
export type ConsentRecord = Infer<typeof consent>;

/** A secret that a client exchanges for an access token, once. */
export const consentKey = z.object({
  hash,
  consentId: z.string(),
  kind: z.enum(["code", "refresh"]),
  /** The issued tokens are derived from the key and this salt. */
  salt: z.string(),
  /** The S256 challenge that a code was requested with. */
  challenge: z.string().nullable(),
  /** The address that a code was sent to. */
  redirectUri: z.string().nullable(),
  createdAt: time,
  expiresAt: time,
  /** A used key is kept, so that a second use is noticed. */
  usedAt: optionalTime,
});
export type ConsentKeyRecord = Infer<typeof consentKey>;

/** Somebody who uses `/api` and the dashboard. */
export const person = z.object({
  id: z.string(),
  name: z.string(),
  role,
  createdAt: time,
  lastSeenAt: optionalTime,
  disabled: z.boolean().describe("The person is kept, but cannot sign in."),
});
export type PersonRecord = Infer<typeof person>;

/** A browser that a person signed in with. */
export const session = z.object({
  id: z.string(),
  personId: z.string(),
  /** The hash of the secret that the browser has. */
  hash,
  label: z.string().describe("How the browser calls itself."),
  createdAt: time,
  expiresAt: time,
  lastUsedAt: time,
});
export type SessionRecord = Infer<typeof session>;

/** The code of a login link. */
export const loginCode = z.object({ hash, personId: z.string(), createdAt: time, expiresAt: time });
export type LoginCodeRecord = Infer<typeof loginCode>;

// Requests

const agentFields = {
  description: longText,
  toolboxes: names,
  grants: names,
  folders: z.array(z.strictObject({ path: text(4_096), access })).max(100),
  pins: names.max(100),
  model: text(200).nullable(),
  headless,
  localModel,
  coordinator,
};
export const agentInput = z.object(optional(agentFields));
export const newAgent = agentInput.extend({
  name: text(200),
  ...optional({
    parent: text(200).describe("The name of the agent that it works for; makes it a sub-agent."),
    scout: z.boolean().describe("It only looks around. Without toolboxes it gets the toolbox `scout`."),
  }),
});
export const since = count.describe("Its `updatedAt` as it was read; 409 if it was changed since.");
export const agentChangeInput = agentInput.extend(optional({ since }));

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
export const newToken = z.object(
  optional({
    agent: text(200).describe("Absent: an admin token."),
    role,
    label: z.string().max(200),
    scopes: names,
    expiresInMs: z.int().min(1_000).max(TEN_YEARS_MS),
    requestsPerMinute: z.int().min(1).max(10_000_000).describe("Overrides the settings."),
    interactive: z.boolean().describe("The person at its client may approve single calls; agents only."),
  }),
);

export const newPerson = z.object({ name: text(200), role });
export const personInput = z.object(optional({ name: text(200), role, disabled: z.boolean() }));
/** Without a person: for the person who asks, or for the owner if a token asks. */
export const newLoginLink = z.object(optional({ person: text(200) }));

export type AgentInput = Infer<typeof agentInput>;
export type NewAgent = Infer<typeof newAgent>;
export type AgentChangeInput = Infer<typeof agentChangeInput>;
export type NewToken = Infer<typeof newToken>;
export type NewPerson = Infer<typeof newPerson>;
export type PersonInput = Infer<typeof personInput>;
export type NewLoginLink = Infer<typeof newLoginLink>;

// Answers: explicit picks, so that nothing of a record slips out.

/** Entries of an agent's toolboxes, grants and pins that nothing matches now. */
export const unresolvedGrants = z.object({
  unknown: z.array(z.string()).describe("Names that nothing has."),
  unmatched: z.array(z.string()).describe("Patterns that match no tool yet."),
});
export type UnresolvedGrants = Infer<typeof unresolvedGrants>;

export const agentView = agent
  .pick({
    ...{ id: true, name: true, description: true, toolboxes: true, grants: true, folders: true, pins: true },
    ...{ model: true, headless: true, localModel: true, coordinator: true, createdAt: true, updatedAt: true },
  })
  .extend({
    parent: z.string().nullable().describe("The name of the agent that it works for."),
    context: z.enum(["main", "sub-agent", "scout"]),
    toolCount: count.describe("How many tools it sees now."),
  })
  .meta({ id: "AgentView", description: "Who calls tools." });
export const agentList = z.object({ agents: z.array(agentView) }).meta({ id: "AgentList" });
export const agentAnswer = unresolvedGrants.extend({ agent: agentView }).meta({ id: "AgentAnswer" });

export const tokenView = token
  .pick({
    ...{ id: true, kind: true, label: true, hint: true, scopes: true, resource: true, role: true },
    ...{ createdAt: true, expiresAt: true, lastUsedAt: true, requestsPerMinute: true, interactive: true },
  })
  .extend({
    agent: z.string().nullable(),
    client: z
      .object({
        id: z.string(),
        name: z.string(),
        renewsUntil: time.describe("Until when it may renew the token."),
      })
      .nullable()
      .describe("The client that got it by a person's consent; null: a person created it."),
  })
  .meta({ id: "TokenView", description: "A token without its value." });
export const tokenList = z.object({ tokens: z.array(tokenView) }).meta({ id: "TokenList" });
export const tokenAnswer = z
  .object({ token: z.string().describe("Shown this once."), record: tokenView })
  .meta({ id: "TokenAnswer" });

export const personView = person
  .pick({ id: true, name: true, role: true, createdAt: true, lastSeenAt: true, disabled: true })
  .extend({
    owner: z.boolean().describe("The owner of `TOOLKEEP_HOME`, who is always an admin."),
    sessions: count.describe("How many browsers the person is signed in with."),
  })
  .meta({ id: "PersonView" });
export const personList = z.object({ people: z.array(personView) }).meta({ id: "PersonList" });
export const personAnswer = z.object({ person: personView }).meta({ id: "PersonAnswer" });

export const sessionView = session
  .pick({ id: true, label: true, createdAt: true, expiresAt: true, lastUsedAt: true })
  .extend({ current: z.boolean().describe("The session that asks.") });
export const sessionList = z.object({ sessions: z.array(sessionView) }).meta({ id: "SessionList" });
export const sessionAnswer = z
  .object({
    kind: z.enum(["person", "token"]),
    id: z.string(),
    name: z.string(),
    role,
    csrfToken: z
      .string()
      .nullable()
      .describe("The value of X-Toolkeep that changes need; null: no session asks."),
    expiresAt: optionalTime.describe(
      "When the session ends, however much it is used; null: no session asks.",
    ),
  })
  .meta({ id: "SessionAnswer", description: "Who asks." });
export const sessionsEnded = z.object({ ended: count }).meta({ id: "SessionsEnded" });
export const loginLink = z
  .object({ url: z.string(), person: z.string(), expiresAt: time })
  .meta({ id: "LoginLink" });

export type AgentView = Infer<typeof agentView>;
export type AgentList = Infer<typeof agentList>;
export type AgentAnswer = Infer<typeof agentAnswer>;
export type TokenView = Infer<typeof tokenView>;
export type TokenList = Infer<typeof tokenList>;
export type TokenAnswer = Infer<typeof tokenAnswer>;
export type PersonView = Infer<typeof personView>;
export type PersonList = Infer<typeof personList>;
export type PersonAnswer = Infer<typeof personAnswer>;
export type SessionView = Infer<typeof sessionView>;
export type SessionList = Infer<typeof sessionList>;
export type SessionAnswer = Infer<typeof sessionAnswer>;
export type SessionsEnded = Infer<typeof sessionsEnded>;
export type LoginLink = Infer<typeof loginLink>;
