import { NotificationTable, QuestionTable } from "../../src/call/questions/tables.ts";
import { ClaimTable, ContentLabelTable, LabelTable, RuleTable } from "../../src/call/rules/tables.ts";
import { SecretTable, VaultKeyTable } from "../../src/call/vault/tables.ts";
import { TrustedFiles } from "../../src/features/trusted-files/tables.ts";
import type { Store } from "../../src/machine/db/store.ts";

/** The tables of rules, labels, questions, secrets and trusted files. */
export function trustStores({ database }: Pick<Store, "database">) {
  return {
    rules: new RuleTable(database),
    labels: new LabelTable(database),
    contentLabels: new ContentLabelTable(database),
    claims: new ClaimTable(database),
    questions: new QuestionTable(database),
    notifications: new NotificationTable(database),
    secrets: new SecretTable(database),
    vaultKey: new VaultKeyTable(database),
    trust: new TrustedFiles(database),
  };
}
