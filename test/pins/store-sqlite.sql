CREATE TABLE "activations" (
  "id" text not null,
  "agent_id" text not null,
  "conversation" text not null,
  "tool" text not null,
  "token_id" text,
  "used_at" bigint not null,
  constraint "activations_key" primary key ("id"),
  constraint "activations_refers_agents" foreign key ("agent_id") references "agents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "agents" (
  "id" text not null,
  "name" text not null,
  "description" text not null,
  "parent_id" text,
  "toolboxes" text not null,
  "grants" text not null,
  "folders" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "scout" integer default 0 not null,
  "pins" text default '[]' not null,
  "model" text,
  "headless" integer default 0 not null,
  "local_model" integer default 0 not null,
  "coordinator" integer default 0 not null,
  constraint "agents_key" primary key ("id"),
  constraint "agents_unique_name" unique ("name"),
  constraint "agents_refers_agents" foreign key ("parent_id") references "agents" ("id") on delete set null deferrable initially deferred
)
CREATE TABLE "attachments" (
  "id" text not null,
  "agent_id" text not null,
  "conversation" text not null,
  "name" text not null,
  "mime_type" text not null,
  "bytes" bigint not null,
  "path" text not null,
  "note" text not null,
  "created_at" bigint not null,
  constraint "attachments_key" primary key ("id")
)
CREATE TABLE "audit_chains" (
  "id" text not null,
  "key_id" text not null,
  "label" text not null,
  "created_at" bigint not null,
  "pruned_seq" bigint not null,
  "pruned_mac" text not null,
  "mac" text not null,
  constraint "audit_chains_key" primary key ("id")
)
CREATE TABLE "audit_entries" (
  "chain" text not null,
  "seq" bigint not null,
  "mac" text not null,
  "kind" text not null,
  "at" bigint not null,
  "actor" text,
  "subject" text,
  "details" text not null,
  constraint "audit_entries_key" primary key ("chain", "seq")
)
CREATE TABLE "audit_key" (
  "id" bigint not null,
  "sealed" blob not null,
  "created_at" bigint not null,
  constraint "audit_key_key" primary key ("id")
)
CREATE TABLE "calls" (
  "id" text not null,
  "agent_id" text not null,
  "token_id" text,
  "conversation" text not null,
  "via" text not null,
  "requested" text not null,
  "tool" text,
  "arguments" text not null,
  "decision" text,
  "rule" text,
  "outcome" text,
  "error" text,
  "started_at" bigint not null,
  "duration_ms" bigint,
  "person" text,
  "chain" text,
  "mac" text,
  "labels" text,
  "approval_id" text,
  "approved_by" text,
  "seq" bigint,
  "steps" text,
  constraint "calls_key" primary key ("id")
)
CREATE TABLE "claims" (
  "id" text not null,
  "expires_at" bigint not null,
  constraint "claims_key" primary key ("id")
)
CREATE TABLE "consent_keys" (
  "hash" text not null,
  "consent_id" text not null,
  "kind" text not null,
  "salt" text not null,
  "challenge" text,
  "redirect_uri" text,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "used_at" bigint,
  constraint "consent_keys_key" primary key ("hash"),
  constraint "consent_keys_refers_consents" foreign key ("consent_id") references "consents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "consents" (
  "id" text not null,
  "agent_id" text not null,
  "client_id" text not null,
  "client_name" text not null,
  "scopes" text not null,
  "resource" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  constraint "consents_key" primary key ("id"),
  constraint "consents_refers_agents" foreign key ("agent_id") references "agents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "content_labels" (
  "id" text not null,
  "labels" text not null,
  "labelled_at" bigint not null,
  constraint "content_labels_key" primary key ("id")
)
CREATE TABLE "custom_tools" (
  "slug" text not null,
  "sha256" text not null,
  "manifest" text not null,
  "enabled_by" text not null,
  "enabled_at" bigint not null,
  constraint "custom_tools_key" primary key ("slug")
)
CREATE TABLE "embeddings" (
  "id" text not null,
  "model" text not null,
  "vector" blob not null,
  "used_at" bigint not null,
  constraint "embeddings_key" primary key ("id")
)
CREATE TABLE "labels" (
  "id" text not null,
  "agent_id" text not null,
  "conversation" text not null,
  "labels" text not null,
  "labelled_at" bigint not null,
  constraint "labels_key" primary key ("id")
)
CREATE TABLE "login_codes" (
  "hash" text not null,
  "person_id" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  constraint "login_codes_key" primary key ("hash"),
  constraint "login_codes_refers_people" foreign key ("person_id") references "people" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "memories" (
  "id" text not null,
  "agent_id" text not null,
  "text" text not null,
  "tags" text not null,
  "revision" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "last_used_at" bigint,
  "key" text,
  "type" text default 'note' not null,
  "metadata" text default '{}' not null,
  "label" text,
  "expires_at" bigint,
  "written_by" text,
  constraint "memories_key" primary key ("id")
)
CREATE TABLE "memory_versions" (
  "id" text not null,
  "memory_id" text not null,
  "agent_id" text not null,
  "revision" bigint not null,
  "key" text,
  "type" text not null,
  "text" text not null,
  "tags" text not null,
  "metadata" text not null,
  "label" text,
  "expires_at" bigint,
  "written_by" text,
  "updated_at" bigint not null,
  "ended_at" bigint not null,
  "reason" text not null,
  "ended_by" text,
  constraint "memory_versions_key" primary key ("id")
)
CREATE TABLE "messages" (
  "id" text not null,
  "from_agent_id" text not null,
  "to_agent_id" text not null,
  "text" text not null,
  "created_at" bigint not null,
  "read_at" bigint,
  constraint "messages_key" primary key ("id")
)
CREATE TABLE "migrations" (
  "version" integer primary key,
  "name" text not null,
  "applied_at" bigint not null
)
CREATE TABLE "notifications" (
  "id" text not null,
  "agent_id" text,
  "level" text not null,
  "title" text not null,
  "body" text not null,
  "created_at" bigint not null,
  "dismissed_at" bigint,
  constraint "notifications_key" primary key ("id")
)
CREATE TABLE "output_pieces" (
  "output_id" text not null,
  "position" bigint not null,
  "text" text not null,
  constraint "output_pieces_key" primary key ("output_id", "position"),
  constraint "output_pieces_refers_outputs" foreign key ("output_id") references "outputs" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "outputs" (
  "id" text not null,
  "agent_id" text not null,
  "conversation" text not null,
  "chars" bigint not null,
  "bytes" bigint not null,
  "created_at" bigint not null,
  "labels" text default '[]' not null,
  constraint "outputs_key" primary key ("id")
)
CREATE TABLE "people" (
  "id" text not null,
  "name" text not null,
  "role" text not null,
  "created_at" bigint not null,
  "last_seen_at" bigint,
  "disabled" integer not null,
  constraint "people_key" primary key ("id"),
  constraint "people_unique_name" unique ("name")
)
CREATE TABLE "pins" (
  "server_id" text not null,
  "kind" text not null,
  "key" text not null,
  "accepted" text,
  "accepted_as" text,
  "held" text,
  "held_as" text,
  "rejected" text,
  "changed_at" bigint not null,
  constraint "pins_key" primary key ("server_id", "kind", "key"),
  constraint "pins_refers_servers" foreign key ("server_id") references "servers" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "plugins" (
  "name" text not null,
  "package_name" text not null,
  "version" text not null,
  "description" text not null,
  "source" text not null,
  "sha256" text not null,
  "permissions" text not null,
  "enabled" integer not null,
  "agreed" text,
  "tools" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  constraint "plugins_key" primary key ("name")
)
CREATE TABLE "project_notes" (
  "id" text not null,
  "created_by" text,
  "revision" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "project_id" text not null,
  "title" text not null,
  "body" text not null,
  "tags" text not null,
  constraint "project_notes_key" primary key ("id"),
  constraint "project_notes_refers_projects" foreign key ("project_id") references "projects" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "projects" (
  "id" text not null,
  "created_by" text,
  "revision" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "key" text not null,
  "name" text not null,
  "description" text not null,
  "status" text not null,
  "last_number" bigint not null,
  constraint "projects_key" primary key ("id"),
  constraint "projects_unique_key" unique ("key")
)
CREATE TABLE "questions" (
  "id" text not null,
  "kind" text not null,
  "agent_id" text not null,
  "digest" text not null,
  "prompt" text not null,
  "details" text not null,
  "state" text not null,
  "answer" text,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "answered_at" bigint,
  "settlement" text,
  "batch_id" text,
  constraint "questions_key" primary key ("id")
)
CREATE TABLE "revision" (
  "id" bigint not null,
  "value" bigint not null,
  constraint "revision_key" primary key ("id")
)
CREATE TABLE "rules" (
  "id" text not null,
  "agent_id" text,
  "conversation" text,
  "permission" text not null,
  "pattern" text,
  "action" text not null,
  "final" integer not null,
  "after" text,
  "note" text not null,
  "created_by" text not null,
  "created_at" bigint not null,
  "expires_at" bigint,
  "question_id" text,
  constraint "rules_key" primary key ("id"),
  constraint "rules_refers_agents" foreign key ("agent_id") references "agents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "secrets" (
  "name" text not null,
  "sealed" blob not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "set_by" text,
  "source" text default 'value' not null,
  "bindings" text,
  "earlier" blob,
  constraint "secrets_key" primary key ("name")
)
CREATE TABLE "server_offers" (
  "server_id" text not null,
  "kind" text not null,
  "position" bigint not null,
  "definition" text not null,
  constraint "server_offers_key" primary key ("server_id", "kind", "position"),
  constraint "server_offers_refers_servers" foreign key ("server_id") references "servers" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "server_tools" (
  "server_id" text not null,
  "position" bigint not null,
  "original_name" text not null,
  "definition" text not null,
  "fingerprint" text,
  constraint "server_tools_key" primary key ("server_id", "position"),
  constraint "server_tools_refers_servers" foreign key ("server_id") references "servers" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "servers" (
  "id" text not null,
  "name" text not null,
  "prefix" text not null,
  "origin" text not null,
  "config" text,
  "sealed" blob,
  "env_keys" text not null,
  "header_keys" text not null,
  "enabled" integer not null,
  "status" text not null,
  "approved_fingerprint" text,
  "added_by" text,
  "era" text,
  "instructions" text,
  "listed_at" bigint,
  "last_error" text,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "asks_back" integer default 0 not null,
  "auth" blob,
  "failed_at" bigint,
  constraint "servers_key" primary key ("id"),
  constraint "servers_unique_name" unique ("name")
)
CREATE TABLE "sessions" (
  "id" text not null,
  "person_id" text not null,
  "hash" text not null,
  "label" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "last_used_at" bigint not null,
  constraint "sessions_key" primary key ("id"),
  constraint "sessions_unique_hash" unique ("hash"),
  constraint "sessions_refers_people" foreign key ("person_id") references "people" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "sources" (
  "id" text not null,
  "name" text not null,
  "kind" text not null,
  "config" text not null,
  "label" text,
  "enabled" integer not null,
  "last_sync" text,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  constraint "sources_key" primary key ("id"),
  constraint "sources_name" unique ("name")
)
CREATE TABLE "tasks" (
  "id" text not null,
  "agent_id" text not null,
  "title" text not null,
  "status" text not null,
  "note" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "instructions" text default '' not null,
  "assigned_by" text,
  constraint "tasks_key" primary key ("id")
)
CREATE TABLE "ticket_comments" (
  "id" text not null,
  "ticket_id" text not null,
  "created_by" text,
  "text" text not null,
  "created_at" bigint not null,
  constraint "ticket_comments_key" primary key ("id"),
  constraint "ticket_comments_refers_tickets" foreign key ("ticket_id") references "tickets" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "tickets" (
  "id" text not null,
  "created_by" text,
  "revision" bigint not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "project_id" text not null,
  "number" bigint not null,
  "title" text not null,
  "description" text not null,
  "status" text not null,
  "priority" text not null,
  "assignee_id" text,
  "labels" text not null,
  constraint "tickets_key" primary key ("id"),
  constraint "tickets_unique_number" unique ("project_id", "number"),
  constraint "tickets_refers_projects" foreign key ("project_id") references "projects" ("id") on delete cascade deferrable initially deferred,
  constraint "tickets_refers_agents" foreign key ("assignee_id") references "agents" ("id") on delete set null deferrable initially deferred
)
CREATE TABLE "todos" (
  "agent_id" text not null,
  "conversation" text not null,
  "items" text not null,
  "updated_at" bigint not null,
  constraint "todos_key" primary key ("agent_id", "conversation")
)
CREATE TABLE "tokens" (
  "id" text not null,
  "kind" text not null,
  "agent_id" text,
  "label" text not null,
  "hash" text not null,
  "hint" text not null,
  "scopes" text,
  "created_at" bigint not null,
  "expires_at" bigint,
  "last_used_at" bigint,
  "consent_id" text references "consents" ("id") on delete cascade,
  "resource" text,
  "requests_per_minute" bigint,
  "role" text,
  "interactive" integer default 0 not null,
  constraint "tokens_key" primary key ("id"),
  constraint "tokens_unique_hash" unique ("hash"),
  constraint "tokens_refers_agents" foreign key ("agent_id") references "agents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "tool_capabilities" (
  "server_id" text not null,
  "original_name" text not null,
  "capabilities" text not null,
  "set_at" bigint not null,
  constraint "tool_capabilities_key" primary key ("server_id", "original_name"),
  constraint "tool_capabilities_refers_servers" foreign key ("server_id") references "servers" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "tool_names" (
  "server_id" text not null,
  "original_name" text not null,
  "name" text not null,
  constraint "tool_names_key" primary key ("server_id", "original_name"),
  constraint "tool_names_unique_name" unique ("name")
)
CREATE TABLE "tool_uses" (
  "id" text not null,
  "agent_id" text not null,
  "term" text not null,
  "tool" text not null,
  "count" bigint not null,
  "used_at" bigint not null,
  constraint "tool_uses_key" primary key ("id"),
  constraint "tool_uses_refers_agents" foreign key ("agent_id") references "agents" ("id") on delete cascade deferrable initially deferred
)
CREATE TABLE "toolboxes" (
  "name" text not null,
  "description" text not null,
  "tools" text not null,
  "builtin" integer not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  constraint "toolboxes_key" primary key ("name")
)
CREATE TABLE "trust" (
  "path" text not null,
  "sha256" text not null,
  "at" bigint not null,
  constraint "trust_key" primary key ("path")
)
CREATE TABLE "vault_key" (
  "id" bigint not null,
  "sealed" blob not null,
  "created_at" bigint not null,
  constraint "vault_key_key" primary key ("id")
)
CREATE INDEX "activations_by_agent_id_used_at" on "activations" ("agent_id", "used_at")
CREATE INDEX "activations_by_conversation" on "activations" ("agent_id", "conversation")
CREATE INDEX "agents_by_parent_id" on "agents" ("parent_id")
CREATE INDEX "attachments_by_agent_id_created_at" on "attachments" ("agent_id", "created_at")
CREATE INDEX "attachments_by_created_at" on "attachments" ("created_at")
CREATE INDEX "audit_entries_by_at" on "audit_entries" ("at", "chain", "seq")
CREATE INDEX "audit_entries_by_kind_at" on "audit_entries" ("kind", "at")
CREATE INDEX "calls_by_agent_id_started_at" on "calls" ("agent_id", "started_at")
CREATE UNIQUE INDEX "calls_by_chain_seq" on "calls" ("chain", "seq")
CREATE INDEX "calls_by_conversation_started_at" on "calls" ("conversation", "started_at")
CREATE INDEX "calls_by_decision_started_at" on "calls" ("decision", "started_at") where "decision" != 'allow'
CREATE INDEX "calls_by_outcome_started_at" on "calls" ("outcome", "started_at") where "outcome" != 'ok'
CREATE INDEX "calls_by_started_at" on "calls" ("started_at")
CREATE INDEX "calls_by_tool_started_at" on "calls" ("tool", "started_at")
CREATE INDEX "consent_keys_by_consent_id" on "consent_keys" ("consent_id")
CREATE INDEX "content_labels_by_labelled_at" on "content_labels" ("labelled_at")
CREATE INDEX "embeddings_by_used_at" on "embeddings" ("used_at")
CREATE INDEX "labels_by_labelled_at" on "labels" ("labelled_at")
CREATE INDEX "login_codes_by_person_id" on "login_codes" ("person_id")
CREATE INDEX "memories_by_agent_id_created_at" on "memories" ("agent_id", "created_at")
CREATE UNIQUE INDEX memories_by_agent_id_key on memories (agent_id, key, coalesce(label, ''))
CREATE INDEX "memories_by_expires_at" on "memories" ("expires_at")
CREATE INDEX "memory_versions_by_agent_id_ended_at" on "memory_versions" ("agent_id", "ended_at")
CREATE INDEX "memory_versions_by_ended_at" on "memory_versions" ("ended_at")
CREATE INDEX "memory_versions_by_expires_at" on "memory_versions" ("expires_at")
CREATE INDEX "memory_versions_by_memory_id" on "memory_versions" ("memory_id")
CREATE INDEX "messages_by_to_agent_id_created_at" on "messages" ("to_agent_id", "created_at")
CREATE INDEX "notifications_by_created_at" on "notifications" ("created_at")
CREATE INDEX "outputs_by_agent_id_created_at" on "outputs" ("agent_id", "created_at")
CREATE INDEX "project_notes_by_project_id_created_at" on "project_notes" ("project_id", "created_at")
CREATE INDEX "questions_by_agent_id_created_at" on "questions" ("agent_id", "created_at")
CREATE INDEX "questions_by_batch_id" on "questions" ("batch_id")
CREATE INDEX "questions_by_digest_state" on "questions" ("digest", "state")
CREATE INDEX "questions_by_state_created_at" on "questions" ("state", "created_at")
CREATE INDEX "rules_by_agent_id" on "rules" ("agent_id")
CREATE INDEX "sessions_by_person_id" on "sessions" ("person_id")
CREATE INDEX "tasks_by_agent_id_created_at" on "tasks" ("agent_id", "created_at")
CREATE INDEX "ticket_comments_by_ticket_id_created_at" on "ticket_comments" ("ticket_id", "created_at")
CREATE INDEX "tickets_by_assignee_id" on "tickets" ("assignee_id")
CREATE INDEX "tickets_by_created_at" on "tickets" ("created_at")
CREATE INDEX "tickets_by_project_id_status" on "tickets" ("project_id", "status")
CREATE INDEX "tokens_by_agent_id" on "tokens" ("agent_id")
CREATE INDEX "tokens_by_consent_id" on "tokens" ("consent_id")
CREATE INDEX "tool_uses_by_agent_id_used_at" on "tool_uses" ("agent_id", "used_at")
