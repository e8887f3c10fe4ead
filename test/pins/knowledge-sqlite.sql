CREATE TABLE "knowledge_chunks" (
  "no" integer not null primary key,
  "entity_no" bigint not null,
  "position" bigint not null,
  "text" text not null,
  "headings" text not null,
  "start_at" bigint not null,
  "end_at" bigint not null,
  "hash" text not null
)
CREATE TABLE "knowledge_entities" (
  "no" integer not null primary key,
  "id" text not null unique,
  "source_no" bigint not null,
  "key" text not null,
  "title" text not null,
  "type" text not null,
  "tags" text not null,
  "uri" text not null,
  "document_at" bigint not null,
  "metadata" text not null,
  "modified_at" bigint not null,
  "size" bigint not null,
  "hash" text not null,
  "first_chunk" bigint not null,
  "chunk_count" bigint not null,
  "lengths" blob not null,
  "indexed_at" bigint not null,
  "gone_at" bigint,
  "revision" bigint not null
)
CREATE TABLE "knowledge_migrations" (
  "version" integer primary key,
  "name" text not null,
  "applied_at" bigint not null
)
CREATE TABLE "knowledge_postings" (
  "term" text not null,
  "block" bigint not null,
  "data" blob not null,
  constraint "knowledge_postings_key" primary key ("term", "block")
) without rowid
CREATE TABLE "knowledge_sources" (
  "no" integer not null primary key,
  "source_id" text not null unique,
  "forgotten" integer not null
)
CREATE TABLE "knowledge_state" (
  "id" bigint not null,
  "revision" bigint not null,
  "next_source" bigint not null,
  "next_entity" bigint not null,
  "next_chunk" bigint not null,
  "model" text,
  "gone_chunks" bigint default 0 not null,
  "swept_chunks" bigint default 0 not null,
  constraint "knowledge_state_key" primary key ("id")
)
CREATE TABLE "knowledge_sweeps" (
  "chunk_end" bigint not null,
  "gone" bigint not null,
  "term" text not null,
  "block" bigint not null
)
CREATE TABLE "knowledge_vectors" (
  "chunk_no" integer not null primary key,
  "vector" blob not null,
  "revision" bigint not null
)
CREATE UNIQUE INDEX "knowledge_entities_by_key" on "knowledge_entities" ("source_no", "key")
CREATE INDEX "knowledge_entities_by_revision" on "knowledge_entities" ("revision", "no")
CREATE INDEX "knowledge_vectors_by_revision" on "knowledge_vectors" ("revision", "chunk_no")
