/**
 * What `npm run test:deep` runs. Nothing is in no run: a file that is not named here is in `npm test`.
 * Patterns stand for all files that they match. `test/deep.test.ts` looks whether all that is named here is there.
 */

/**
 * Files that `npm test` leaves out: kill loops, fault matrices, whole catalogues, large files, journeys through everything.
 * Beside each, the files by which `npm test` guards the same behaviour.
 */
export const DEEP: Readonly<Record<string, readonly string[]>> = {
  // `test/support/test-api.ts` holds every answer that any of them gets against its schema.
  "test/surfaces/api/answers.test.ts": [
    "test/surfaces/api/routes/*/*.test.ts",
    "test/surfaces/api/schema.test.ts",
  ],
  "test/call/search/ungranted-random.test.ts": [
    "test/call/search/tool-search.test.ts",
    "test/call/catalog/list-tools.test.ts",
  ],
  "test/surfaces/cli/commands/daemon/serve-more.test.ts": ["test/surfaces/cli/commands/daemon/serve.test.ts"],
  "test/surfaces/cli/commands/servers/connect-more.test.ts": [
    "test/surfaces/cli/commands/servers/connect.test.ts",
    "test/features/clients/connect-client.test.ts",
  ],
  "test/surfaces/cli/commands/servers/connect-all.test.ts": [
    "test/features/clients/connect-client.test.ts",
    "test/surfaces/cli/commands/servers/connect.test.ts",
  ],
  "test/dashboard/axe.test.ts": [
    "test/dashboard/servers.test.ts",
    "test/dashboard/tools.test.ts",
    "test/dashboard/approvals.test.ts",
    "test/dashboard/settings.test.ts",
  ],
  "test/dashboard/journey.test.ts": [
    "test/dashboard/servers.test.ts",
    "test/dashboard/agents.test.ts",
    "test/dashboard/approvals.test.ts",
    "test/dashboard/audit.test.ts",
  ],
  "test/dashboard/many-tools.test.ts": ["test/dashboard/tools.test.ts"],
  "test/dashboard/phone.test.ts": ["test/dashboard/agents.test.ts"],
  // Of each page of the dashboard, `npm test` has what people mostly do there.
  "test/dashboard/agents-more.test.ts": ["test/dashboard/agents.test.ts"],
  "test/dashboard/approvals-more.test.ts": [
    "test/dashboard/approvals.test.ts",
    "test/surfaces/api/routes/trust/questions.test.ts",
    "test/surfaces/api/routes/trust/approvals.test.ts",
  ],
  "test/dashboard/audit-more.test.ts": [
    "test/dashboard/audit.test.ts",
    "test/dashboard/approvals.test.ts",
    "test/surfaces/api/routes/trust/calls.test.ts",
  ],
  "test/dashboard/ease-of-use.test.ts": [
    "test/dashboard/toolboxes.test.ts",
    "test/dashboard/settings.test.ts",
    "test/dashboard/servers.test.ts",
    "test/dashboard/shell.test.ts",
    "test/dashboard/words.test.ts",
  ],
  "test/dashboard/home-more.test.ts": ["test/dashboard/home.test.ts", "test/servers/failed-start.test.ts"],
  "test/dashboard/keyboard.test.ts": ["test/dashboard/toolboxes.test.ts", "test/dashboard/shell.test.ts"],
  "test/dashboard/knowledge-more.test.ts": [
    "test/dashboard/knowledge.test.ts",
    "test/surfaces/api/routes/knowledge/memories.test.ts",
  ],
  "test/dashboard/notifications-more.test.ts": ["test/dashboard/notifications.test.ts"],
  "test/dashboard/restart.test.ts": [
    "test/dashboard/shell.test.ts",
    "test/surfaces/cli/commands/daemon/serve.test.ts",
  ],
  "test/dashboard/rules-more.test.ts": [
    "test/dashboard/rules.test.ts",
    "test/surfaces/api/routes/trust/rules.test.ts",
  ],
  "test/dashboard/security-more.test.ts": ["test/dashboard/security.test.ts"],
  "test/dashboard/servers-more.test.ts": [
    "test/dashboard/servers.test.ts",
    "test/surfaces/api/routes/servers/servers.test.ts",
    "test/surfaces/api/routes/servers/imports.test.ts",
    "test/surfaces/api/routes/servers/server-auth.test.ts",
  ],
  "test/dashboard/settings-more.test.ts": [
    "test/dashboard/settings.test.ts",
    "test/surfaces/api/daemon/settings.test.ts",
    "test/surfaces/api/daemon/health.test.ts",
  ],
  "test/dashboard/shell-more.test.ts": ["test/dashboard/shell.test.ts", "test/dashboard/approvals.test.ts"],
  "test/dashboard/tasks-more.test.ts": [
    "test/dashboard/tasks.test.ts",
    "test/surfaces/api/routes/work/projects.test.ts",
  ],
  "test/dashboard/toolboxes-more.test.ts": ["test/dashboard/toolboxes.test.ts"],
  "test/dashboard/tools-more.test.ts": ["test/dashboard/tools.test.ts", "test/dashboard/schema-form.test.ts"],
  "test/dashboard/vault-more.test.ts": ["test/dashboard/vault.test.ts"],
  "test/dashboard/viewers.test.ts": ["test/dashboard/agents.test.ts", "test/surfaces/api/route-role.test.ts"],
  "test/e2e/add-feature.test.ts": ["test/features/diary.test.ts"],
  "test/e2e/audit-crash.test.ts": ["test/call/audit/audit.test.ts", "test/call/audit/verify.test.ts"],
  "test/e2e/backup.test.ts": ["test/surfaces/daemon/backup.test.ts"],
  "test/surfaces/cli/commands/daemon/backup.test.ts": ["test/surfaces/daemon/backup.test.ts"],
  "test/e2e/canaries.test.ts": [
    "test/call/executor/secrets.test.ts",
    "test/call/audit/audit.test.ts",
    "test/call/vault/redaction/redaction.test.ts",
    "test/servers/servers.test.ts",
    "test/servers/lifecycle/server-log.test.ts",
  ],
  "test/e2e/catalogue.test.ts": ["test/servers/servers.test.ts", "test/call/catalog/catalog.test.ts"],
  "test/e2e/deferred-loading.test.ts": ["test/surfaces/gateway/deferred.test.ts"],
  "test/e2e/kill.test.ts": [
    "test/surfaces/cli/commands/daemon/serve.test.ts",
    "test/machine/db/kill.test.ts",
  ],
  "test/e2e/lost-home.test.ts": [
    "test/e2e/full-disk.test.ts",
    "test/surfaces/daemon/impossible-home.test.ts",
  ],
  "test/e2e/names.test.ts": ["test/servers/lists/names.test.ts", "test/servers/lists.test.ts"],
  "test/e2e/npm-start.test.ts": ["test/surfaces/cli/commands/daemon/serve.test.ts"],
  "test/e2e/postgres.test.ts": [
    "test/hub.test.ts",
    "test/machine/db/postgres/follow.test.ts",
    "test/machine/db/postgres/watched-client.test.ts",
  ],
  "test/e2e/postgres-beside.test.ts": ["test/hub.test.ts", "test/machine/db/postgres/follow.test.ts"],
  "test/e2e/postgres-restart.test.ts": [
    "test/machine/db/postgres/follow.test.ts",
    "test/machine/db/postgres/watched-client.test.ts",
    "test/call/vault/keys/check-key.test.ts",
  ],
  "test/e2e/replicas.test.ts": ["test/hub.test.ts", "test/machine/db/postgres/follow.test.ts"],
  "test/e2e/stop.test.ts": [
    "test/surfaces/cli/commands/daemon/serve.test.ts",
    "test/surfaces/cli/commands/daemon/stdio.test.ts",
    "test/machine/process/processes.test.ts",
  ],
  "test/e2e/tool-meaning.test.ts": [
    "test/call/search/meanings.test.ts",
    "test/machine/text/meaning/minilm/local-embedder.test.ts",
  ],
  "test/faults/authentication.test.ts": ["test/servers/auth/server-auth.test.ts"],
  "test/faults/calls-under-way.test.ts": [
    "test/servers/auth/server-auth.test.ts",
    "test/servers/taken-away.test.ts",
  ],
  "test/faults/dying.test.ts": ["test/servers/faulty-server.test.ts", "test/servers/calls.test.ts"],
  "test/faults/fairness.test.ts": [
    "test/lib/flow/fair-queue.test.ts",
    "test/servers/faulty-server.test.ts",
    "test/servers/lists/server-tool.test.ts",
  ],
  "test/faults/flooding.test.ts": [
    "test/lib/lines.test.ts",
    "test/servers/faulty-server.test.ts",
    "test/servers/lifecycle/server-log.test.ts",
  ],
  "test/faults/hanging.test.ts": [
    "test/servers/faulty-server.test.ts",
    "test/servers/calls.test.ts",
    "test/servers/transport/stdio-transport.test.ts",
  ],
  "test/faults/isolation.test.ts": [
    "test/servers/connection/inquiries.test.ts",
    "test/servers/rounds.test.ts",
  ],
  "test/faults/lists.test.ts": ["test/servers/lists.test.ts"],
  "test/faults/malformed.test.ts": [
    "test/servers/faulty-server.test.ts",
    "test/servers/transport/requests.test.ts",
  ],
  "test/faults/many-calls.test.ts": [
    "test/lib/flow/slots.test.ts",
    "test/servers/transport/requests.test.ts",
  ],
  "test/faults/plugins.test.ts": [
    "test/features/plugins/process/plugin-host.test.ts",
    "test/features/plugins/package/manifest.test.ts",
    "test/features/plugins/definitions.test.ts",
  ],
  "test/faults/remote.test.ts": [
    "test/servers/transport/transports.test.ts",
    "test/servers/connection/connect.test.ts",
    "test/servers/sessions.test.ts",
  ],
  "test/faults/retry.test.ts": [
    "test/servers/faulty-server.test.ts",
    "test/servers/connection/call-failure.test.ts",
  ],
  "test/surfaces/gateway/ungranted-random.test.ts": ["test/surfaces/gateway/denied-everywhere.test.ts"],
  "test/features/knowledge/index/quality.test.ts": ["test/features/knowledge/search/relevance.test.ts"],
  "test/features/knowledge/parse/long-line.test.ts": ["test/features/knowledge/parse/text-builder.test.ts"],
  "test/features/knowledge/sync/hostile-files.test.ts": [
    "test/features/knowledge/sync/unreadable.test.ts",
    "test/features/knowledge/parse/parse-thread.test.ts",
  ],
  "test/features/knowledge/sync/kill.test.ts": [
    "test/features/knowledge/sync/sync.test.ts",
    "test/machine/db/knowledge-kill.test.ts",
  ],
  "test/features/plugins/package/npm-update.test.ts": [
    "test/features/plugins/package/npm-install.test.ts",
    "test/features/plugins/plugins.test.ts",
  ],
  "test/features/web/hostile-html.test.ts": ["test/features/web/markdown.test.ts"],
  "test/packed.test.ts": ["test/surfaces/cli/commands/daemon/serve.test.ts"],
  "test/servers/long-lists.test.ts": ["test/servers/lists.test.ts"],
  "test/call/vault/redaction/every-base64.test.ts": ["test/call/vault/redaction/spellings.test.ts"],
  "test/call/vault/redaction/hostile-texts.test.ts": ["test/call/vault/redaction/redaction.test.ts"],
};

/**
 * Files of which `npm test` takes a sample, by `test/support/length.ts`, and `npm run test:deep` all: random runs at length, each row of a matrix, every
 * page by axe in both schemes.
 */
export const LONGER: readonly string[] = [
  "test/surfaces/api/openapi.test.ts",
  "test/call/audit/tampering.test.ts",
  "test/dashboard/*.test.ts",
  "test/e2e/examples.test.ts",
  "test/e2e/fuzz.test.ts",
  "test/call/executor/repair-random.test.ts",
  "test/features/knowledge/index/postgres.test.ts",
  "test/features/knowledge/index/sqlite.test.ts",
  "test/features/knowledge/parse/text-builder.test.ts",
  "test/features/files/cut-secrets.test.ts",
  "test/features/files/paths.test.ts",
  "test/features/web/screenshot-url.test.ts",
  "test/call/vault/redaction/planted-values.test.ts",
  "test/call/vault/redaction/redaction.test.ts",
  "test/call/vault/redaction/spellings.test.ts",
  "test/call/rules/paths/file-rules.test.ts",
  "test/call/rules/paths/path-spellings.test.ts",
  "test/call/rules/shell/command-recorder.test.ts",
  "test/machine/config/layer.test.ts",
  "test/surfaces/cli/commands/daemon/stdio.test.ts",
  "test/surfaces/daemon/cleaning/stray-files.test.ts",
  "test/surfaces/gateway/server-names.test.ts",
  "test/surfaces/cli/main.test.ts",
  "test/surfaces/api/routes/servers/servers.test.ts",
  "test/surfaces/cli/commands/servers/server-auth.test.ts",
  "test/machine/text/meaning/minilm/local-embedder.test.ts",
  "test/features/plugins/plugins.test.ts",
  "test/surfaces/cli/commands/servers/server.test.ts",
  "test/features/custom-tools/run-script.test.ts",
  "test/surfaces/cli/commands/servers/call.test.ts",
  "test/servers/servers.test.ts",
  "test/surfaces/cli/commands/servers/import.test.ts",
  "test/machine/db/postgres/follow.test.ts",
  "test/servers/auth/server-auth.test.ts",
  "test/features/shell/shell.test.ts",
  "test/features/plugins/process/plugin-host.test.ts",
  "test/features/admin/settings-tools.test.ts",
  "test/surfaces/cli/commands/servers/plugin.test.ts",
  "test/surfaces/cli/commands/servers/connect.test.ts",
  "test/machine/db/postgres/watched-client.test.ts",
  "test/e2e/knowledge.test.ts",
  "test/surfaces/oauth-server/token-routes.test.ts",
  "test/surfaces/gateway/rpc.test.ts",
  "test/servers/lists/watched-resources.test.ts",
  "test/servers/lists/offer-list.test.ts",
  "test/features/knowledge/sync/sync.test.ts",
];
