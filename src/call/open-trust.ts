import { homedir, hostname } from "node:os";
import { messageOf } from "../contract/errors.ts";
import type { Events } from "../contract/events.ts";
import type { Clock } from "../lib/clock.ts";
import type { ClosingStack } from "../lib/flow/closing-stack.ts";
import type { NewId } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../machine/config/settings.ts";
import type { Resealed } from "../machine/db/reseal.ts";
import type { Store } from "../machine/db/store.ts";
import { workspacePath } from "../machine/files/workspace.ts";
import { isMasked } from "../machine/process/confined-command.ts";
import type { Processes } from "../machine/process/processes.ts";
import type { Sandbox } from "../machine/process/sandbox.ts";
import { Audit } from "./audit/audit.ts";
import { openAuditKey } from "./audit/chain/audit-key.ts";
import { AuditMark } from "./audit/chain/audit-mark.ts";
import { auditStore } from "./audit/chain/audit-table.ts";
import { isBreak } from "./audit/chain/open-chain.ts";
import { OtlpExporter, otlpTarget } from "./audit/otlp.ts";
import { Identity, OPERATOR } from "./identity/identity.ts";
import { People } from "./identity/people.ts";
import { settledNote } from "./questions/question-events.ts";
import { Questions } from "./questions/questions.ts";
import { QuestionTable } from "./questions/tables.ts";
import { createAnswerRules } from "./rules/approvals/answer-rules.ts";
import { Approvals } from "./rules/approvals/approvals.ts";
import { ContentLabels } from "./rules/content-labels.ts";
import { Labels } from "./rules/labels.ts";
import { RuleBook } from "./rules/rule-book.ts";
import { ClaimTable, ContentLabelTable, LabelTable, RuleTable } from "./rules/tables.ts";
import { Watchdog } from "./rules/watchdog.ts";
import { promptedBindings } from "./vault/bindings.ts";
import { checkKey } from "./vault/keys/check-key.ts";
import { KEY_IN_FILE, loadKeys } from "./vault/keys/key.ts";
import { finishRotation, rotateKey } from "./vault/keys/rotate-key.ts";
import { Sealing } from "./vault/sealing.ts";
import { SecretTable, VaultKeyTable } from "./vault/tables.ts";
import { Vault } from "./vault/vault.ts";

/** Who may call what, who said yes, and what happened: what the rest of a hub is built upon. */
export interface Trust {
  /** Seals everything with a new key. */
  readonly rotateKey: () => Promise<Resealed>;
  readonly vault: Vault;
  readonly identity: Identity;
  readonly people: People;
  readonly audit: Audit;
  readonly questions: Questions;
  readonly watchdog: Watchdog;
  readonly ruleBook: RuleBook;
  readonly labels: Labels;
  readonly approvals: Approvals;
}

export interface TrustDeps {
  readonly store: Store;
  readonly settings: () => Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  readonly sandbox: Pick<Sandbox, "known" | "onKnown">;
  readonly log: Log;
  readonly version: string;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Wiring only, as `hub.ts`. */
export async function openTrust(deps: TrustDeps, closing: ClosingStack): Promise<Trust> {
  const { store, settings, env, log, events, clock, newId, processes, sandbox } = deps;
  const shared = { events, clock, newId };
  const { key, before, isNotInKeyring } = await loadKeys({ home: settings().home, env });
  if (isNotInKeyring) log.warn({}, KEY_IN_FILE);
  const sealing = new Sealing(key, before);
  const rotating = { home: settings().home, env, store, sealing };
  if (before) log.info(await finishRotation(rotating), "sealed values have the new key");
  // On SQLite there is nobody to agree with, and a home whose key was lost must still open.
  const { database } = store;
  const secrets = new SecretTable(database);
  if (store.dialect === "postgres")
    await checkKey({ secrets, vaultKey: new VaultKeyTable(database) }, key, clock);
  const vault = await Vault.open({
    store: secrets,
    key: sealing,
    clock,
    references: { env, processes },
    onChange: (name) => events.emit("secret.changed", { secret: name }),
    onUnreadable: (name) => log.error({ secret: name }, "a secret cannot be read with this key"),
  });
  const { redact } = vault;

  const identity = await Identity.open({ store, ...shared });
  const people = await People.open({ store, ...shared });
  const { seal, unseal } = vault;
  const exporter = closing.add(
    new OtlpExporter({
      target: () => otlpTarget(settings().telemetry, (text) => vault.fill(text)),
      fetch,
      version: deps.version,
      onProblem: (cause) => log.warn({ cause: messageOf(cause) }, "spans cannot be sent"),
    }),
  );
  const auditTable = auditStore(database);
  const audit = await Audit.open({
    store: auditTable,
    key: await openAuditKey({ store: auditTable, seal, unseal, clock }),
    mark: new AuditMark({ store: auditTable, seal, unseal, clock }),
    home: settings().home,
    label: `${hostname()}:${settings().home}`,
    alone: store.dialect === "sqlite",
    redact,
    spans: exporter,
    settings,
    clock,
    newId,
    onLost: (count, cause) => log.error({ count, cause: messageOf(cause) }, "audit records were lost"),
    onProblem: (cause) => log.error({ cause: messageOf(cause) }, "the audit has a problem"),
  });
  const { reason } = audit.chain.opening;
  if (isBreak(reason))
    log.error({ reason }, "the audit is not as this home left it; see toolkeep audit verify");
  closing.add({ close: () => audit.close() });
  const parentOf = (agentId: string) => identity.agentById(agentId)?.parentId ?? null;
  const ruleBook = closing.add(
    await RuleBook.open({ store: new RuleTable(database), parentOf, clock, newId }),
  );
  ruleBook.onChange(() => events.emit("rules.changed", { stored: ruleBook.list().length }));
  const questions = closing.add(
    new Questions({
      store: new QuestionTable(database),
      keepSecret: (name, value, { agentId, details }) =>
        vault.put(name, value, promptedBindings(details, agentId === OPERATOR ? null : [agentId])),
      redact,
      redactForApproval: (text) => vault.redactAsked(text),
      hasSecret: (name) => vault.names().includes(name),
      grantTool: (agentId, tool) => identity.grantTool(agentId, tool),
      expireMs: () => settings().questions.expireMs,
      agentName: (id) => identity.agentById(id)?.name,
      isHeadless: (id) => identity.isHeadless(id),
      rejectedMs: () => settings().approvals.rejectedMs,
      rules: createAnswerRules(ruleBook),
      onSettled: (question) => audit.note(...settledNote(question)),
      ...shared,
    }),
  );
  const labels = closing.add(
    await Labels.open({
      store: new LabelTable(database),
      clock,
      parentOf,
      onProblem: (error) => log.warn({ cause: messageOf(error) }, "labels of conversations were not kept"),
    }),
  );
  const watchdog = new Watchdog({
    settings: settings(),
    book: ruleBook,
    labels,
    contentLabels: new ContentLabels({ store: new ContentLabelTable(database), labels, clock }),
    workspaceOf: (caller) => workspacePath(settings().home, caller),
    userHome: env.HOME ?? homedir(),
    startedIn: process.cwd(),
    // Found out while the hub is running.
    isShellSandboxed: () => isMasked(settings().shell.sandbox, sandbox),
    onShellSandbox: sandbox.onKnown,
  });
  const approvals = new Approvals({
    questions,
    settings,
    async haveRules(ids) {
      const isThere = () => ids.every((id) => ruleBook.has(id));
      // Another replica may have written them a moment ago.
      if (!isThere()) await ruleBook.reload();
      return isThere();
    },
    namedSecrets: (args) => vault.revisionsIn(args),
    claims: new ClaimTable(database),
    clock,
  });
  const rotate = () => rotateKey(rotating);
  return {
    rotateKey: rotate,
    vault,
    identity,
    people,
    audit,
    questions,
    watchdog,
    ruleBook,
    labels,
    approvals,
  };
}
