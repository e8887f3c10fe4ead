/** Memories as tools show them to models and programs. */
import type { MemoryRecord, MemoryVersion } from "../memory/contract.ts";
import { OWN_SPACE, spaceOfOwner } from "../memory/spaces.ts";

const MAX_SHOWN_SIMILAR = 200;

/** One line for a model. */
export function line({ id, key, text, tags, updatedAt }: MemoryRecord): string {
  const about = tags.length === 0 ? "" : `, ${tags.join(", ")}`;
  const named = key === null ? "" : ` ${key}`;
  return `${id}${named} (${day(updatedAt)}${about}): ${text}`;
}

export function shortLine(memory: MemoryRecord): string {
  const shown = line(memory);
  return shown.length <= MAX_SHOWN_SIMILAR ? shown : `${shown.slice(0, MAX_SHOWN_SIMILAR)}…`;
}

export function shownMemory(memory: MemoryRecord) {
  const { id, agentId, key, text, tags, type, metadata, expiresAt, createdAt, updatedAt } = memory;
  return {
    id,
    ...(key !== null && { key }),
    text,
    tags,
    type,
    space: spaceOfOwner(agentId) ?? OWN_SPACE,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    ...(expiresAt !== null && { expires_at: iso(expiresAt) }),
  };
}

/** With the property names of version 003. */
export function shownContext(memory: MemoryRecord) {
  const { text, ...rest } = shownMemory(memory);
  return { ...rest, content: text };
}

export function shownVersion({ revision, text, tags, type, updatedAt, endedAt, reason }: MemoryVersion) {
  return {
    revision,
    content: text,
    tags,
    type,
    from: iso(updatedAt),
    until: iso(endedAt),
    reason,
  };
}

function day(at: number): string {
  return iso(at).slice(0, 10);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
