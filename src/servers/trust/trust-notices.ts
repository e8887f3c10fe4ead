import type { NewId } from "../../lib/id.ts";
import type { PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import { versionOf } from "./change-view.ts";
import { isWaiting } from "./compare-pins.ts";
import { revealed } from "./definitions/clean-text.ts";
import { endWarnings, raiseWarning, type WarningDeps } from "./warnings.ts";

export interface TrustNoticesDeps extends WarningDeps {
  readonly newId: NewId;
}

type Named = { readonly id: string; readonly name: string };

const MOST_NAMED = 10;

/** Tells people what to look at in what servers publish. */
export class TrustNotices {
  readonly #deps: TrustNoticesDeps;

  constructor(deps: TrustNoticesDeps) {
    this.#deps = deps;
  }

  /** One notification a server, of all that waits; none where nothing does. */
  async ask({ id, name }: Named, held: ReadonlyMap<string, PinRecord>): Promise<void> {
    await this.#end(changesPrefix(id));
    const waiting = [...held.values()].filter(isWaiting);
    if (waiting.length === 0) return;
    await this.#raise(
      changesPrefix(id),
      `MCP server ${name} publishes what nobody accepted`,
      `New or changed: ${listed(waiting.map(({ kind, key }) => (kind === "tool" ? key : `${kind} ${key}`)))}. No agent sees it until you decide. Look with toolkeep server changes ${name}, then toolkeep server accept ${name} --seen ${versionOf([...held.values()])} or toolkeep server reject ${name}.`,
    );
  }

  /** One notification a server, the last; `tools`: names of tools whose definitions have something to look at. */
  async warn({ id, name }: Named, tools: readonly string[]): Promise<void> {
    await this.#warnOf(findingsPrefix(id), "tools", name, tools);
  }

  /** The same of prompts and templates; `offers`: with their kind. */
  async warnOfOffers({ id, name }: Named, offers: readonly string[]): Promise<void> {
    await this.#warnOf(offerFindingsPrefix(id), "prompts", name, offers);
  }

  /** What a list said that cannot be used, such as a definition that is too long; once, until it says something else. */
  async leftOut({ id, name }: Named, problems: readonly string[]): Promise<void> {
    const prefix = leftOutPrefix(id);
    const body = `${problems
      .slice(0, MOST_NAMED)
      .map((each) => revealed(each.slice(0, 300)))
      .join(". ")}. Agents do not see it; toolkeep server logs ${name} has all of it.`;
    const open = (await this.#deps.store.notifications.list()).filter((notice) =>
      notice.id.startsWith(prefix),
    );
    if (problems.length > 0 && open.some((notice) => notice.body === body)) return;
    if (open.length > 0) await this.#end(prefix);
    if (problems.length > 0) await this.#raise(prefix, `Something of MCP server ${name} was left out`, body);
  }

  async forget(serverId: string): Promise<void> {
    await this.#end(leftOutPrefix(serverId));
    await this.#end(changesPrefix(serverId));
    await this.#end(findingsPrefix(serverId));
    await this.#end(offerFindingsPrefix(serverId));
  }

  async #warnOf(prefix: string, kind: string, name: string, found: readonly string[]): Promise<void> {
    if (found.length === 0) return;
    await this.#end(prefix);
    await this.#raise(
      prefix,
      `Look at what ${kind} of MCP server ${name} say`,
      `They address the model, name tools of others, ask for secrets or hide text: ${listed(found)}. toolkeep server show ${name} says what was found.`,
    );
  }

  async #raise(prefix: string, title: string, body: string): Promise<void> {
    await raiseWarning(this.#deps, this.#deps.newId(prefix), title, body);
  }

  async #end(prefix: string): Promise<void> {
    await endWarnings(this.#deps, prefix);
  }
}

function changesPrefix(serverId: string): string {
  return `ntf_changes_${serverId}`;
}

function leftOutPrefix(serverId: string): string {
  return `ntf_left_out_${serverId}`;
}

function findingsPrefix(serverId: string): string {
  return `ntf_findings_${serverId}`;
}

function offerFindingsPrefix(serverId: string): string {
  return `ntf_offer_findings_${serverId}`;
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return (
    names
      .slice(0, MOST_NAMED)
      .map((name) => revealed(name.slice(0, 64)))
      .join(", ") + more
  );
}
