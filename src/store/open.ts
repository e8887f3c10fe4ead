import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { activationStore } from "./activations.ts";
import { agentStore } from "./agents.ts";
import { attachmentStore } from "./attachments.ts";
import { auditStore } from "./audit.ts";
import { callStore } from "./calls.ts";
import { claimStore } from "./claims.ts";
import { consentStore } from "./consents.ts";
import { contentLabelStore } from "./content-labels.ts";
import { customToolStore } from "./custom-tools.ts";
import { connect, type Database, unavailable } from "./database.ts";
import type { StoreDialect } from "./dialect.ts";
import { dumpTables, loadTables } from "./dump.ts";
import { embeddingStore } from "./embeddings.ts";
import { labelStore } from "./labels.ts";
import { memoryStore } from "./memories.ts";
import { messageStore } from "./messages.ts";
import { migrate } from "./migrate.ts";
import { notificationStore } from "./notifications.ts";
import { outputStore } from "./outputs.ts";
import { personStore } from "./people.ts";
import { pinStore, toolCapabilitiesStore } from "./pins.ts";
import { pluginStore } from "./plugins.ts";
import { projectNoteStore } from "./project-notes.ts";
import { projectStore } from "./projects.ts";
import { prune } from "./prune.ts";
import { questionStore } from "./questions.ts";
import { resealAll } from "./reseal.ts";
import { ruleStore } from "./rules.ts";
import { secretStore } from "./secrets.ts";
import { serverStore } from "./servers.ts";
import { sessionStore } from "./sessions.ts";
import { sourceStore } from "./sources.ts";
import { sqliteDialect } from "./sqlite/dialect.ts";
import type { Store } from "./store.ts";
import { taskStore } from "./tasks.ts";
import { ticketStore } from "./tickets.ts";
import { todoStore } from "./todos.ts";
import { tokenStore } from "./tokens.ts";
import { toolNameStore } from "./tool-names.ts";
import { toolUseStore } from "./tool-uses.ts";
import { toolboxStore } from "./toolboxes.ts";
import { trustStore } from "./trust.ts";
import { vaultKeyStore } from "./vault-key.ts";

export interface StoreOptions {
  /** Made when absent, for its user only. */
  readonly home: string;
  /** PostgreSQL; null: the file `toolkeep.db` in `home`. */
  readonly databaseUrl: string | null;
  readonly clock: Clock;
}

/**
 * Opens the store and brings its schema up to date. Throws STORE_UNAVAILABLE when it cannot be reached and
 * STORE_NEWER when a later version wrote it. Whoever opens it closes it.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = connect(await openDialect(options));
  try {
    await migrate(database, options.clock);
  } catch (error) {
    await database.close();
    throw error;
  }
  return storeOver(database, options.clock);
}

async function openDialect({ home, databaseUrl }: StoreOptions): Promise<StoreDialect> {
  if (databaseUrl !== null) {
    // Loaded only where it is used: most homes have no PostgreSQL, and every start would wait for it.
    const { postgresDialect } = await import("./postgres/dialect.ts");
    return postgresDialect(databaseUrl);
  }
  await makeFolder(home).catch((error) => {
    throw unavailable(error, home);
  });
  return sqliteDialect(join(home, "toolkeep.db"));
}

function storeOver(database: Database, clock: Clock): Store {
  return {
    dialect: database.dialect.name,
    agents: agentStore(database),
    rules: ruleStore(database),
    labels: labelStore(database),
    contentLabels: contentLabelStore(database),
    consents: consentStore(database),
    tokens: tokenStore(database),
    people: personStore(database),
    sessions: sessionStore(database),
    toolboxes: toolboxStore(database),
    servers: serverStore(database),
    pins: pinStore(database),
    toolCapabilities: toolCapabilitiesStore(database),
    toolNames: toolNameStore(database),
    secrets: secretStore(database),
    vaultKey: vaultKeyStore(database),
    claims: claimStore(database),
    questions: questionStore(database),
    notifications: notificationStore(database),
    tasks: taskStore(database),
    todos: todoStore(database),
    activations: activationStore(database),
    messages: messageStore(database),
    memories: memoryStore(database),
    attachments: attachmentStore(database),
    calls: callStore(database),
    audit: auditStore(database),
    trust: trustStore(database),
    customTools: customToolStore(database),
    plugins: pluginStore(database),
    sources: sourceStore(database),
    projects: projectStore(database),
    tickets: ticketStore(database),
    projectNotes: projectNoteStore(database),
    outputs: outputStore(database),
    embeddings: embeddingStore(database),
    toolUses: toolUseStore(database),
    revision: () => readRevision(database),
    checkWrite: () => writeProbe(database, clock),
    follow: (since, follower) => database.dialect.sharing.follow(since, follower),
    lead: (job, work, signal) => database.dialect.sharing.lead(job, work, signal),
    attempt: (job, work, signal) => database.dialect.sharing.attempt(job, work, signal),
    prune: (what, before, limit) => prune(database, what, before, limit),
    reseal: (reseal) => resealAll(database, reseal),
    dump: () => dumpTables(database),
    load: (dump) => loadTables(database, dump),
    close: () => database.close(),
  };
}

/** A row of its own, so that it waits for nobody: of something that has expired, so that cleaning takes it away. */
async function writeProbe(database: Database, clock: Clock): Promise<void> {
  const row = { id: "write check", expiresAt: clock() };
  await database.query((db) =>
    db
      .insertInto("claims")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ expiresAt: row.expiresAt }))
      .execute(),
  );
}

async function readRevision(database: Database): Promise<number> {
  const row = await database.query((db) =>
    db.selectFrom("revision").select("value").executeTakeFirstOrThrow(),
  );
  return row.value;
}
