import type { NewId } from "../../lib/id.ts";
import type { PinRecord } from "../records.ts";
import { computeVersion } from "./change-view.ts";
import { isWaiting } from "./compare-pins.ts";
import { revealHidden } from "./definitions/clean-text.ts";
import { endWarnings, raiseWarning, type WarningDeps } from "./warnings.ts";

export interface TrustNoticesDeps extends WarningDeps {
  readonly newId: NewId;
}

type NamedServer = { readonly id: string; readonly name: string };

const MAX_NAMED = 10;

/** Notifies people of what servers publish and somebody should look at. */
export class TrustNotices {
  readonly #deps: TrustNoticesDeps;

  constructor(deps: TrustNoticesDeps) {
    this.#deps = deps;
  }

  /** Keeps one notification per server that covers everything waiting; none if nothing waits. */
  async ask({ id, name }: NamedServer, held: ReadonlyMap<string, PinRecord>): Promise<void> {
    await this.#end(changesPrefix(id));
    const waiting = [...held.values()].filter(isWaiting);
    if (waiting.length === 0) return;
    await this.#raise(
      changesPrefix(id),
      `MCP server ${name} publishes what nobody accepted`,
      `New or changed: ${joinNames(waiting.map(({ kind, key }) => (kind === "tool" ? key : `${kind} ${key}`)))}. No agent sees it until you decide. Look with toolkeep server changes ${name}, then toolkeep server accept ${name} --seen ${computeVersion([...held.values()])} or toolkeep server reject ${name}.`,
    );
  }

  /** Replaces the server's notification about findings; `tools` are the names of the tools with findings. */
  async warnOfTools({ id, name }: NamedServer, tools: readonly string[]): Promise<void> {
    await this.#warnOfFindings(findingsPrefix(id), "tools", name, tools);
  }

  /** The same for prompts and resource templates, each with its kind. */
  async warnOfOffers({ id, name }: NamedServer, offers: readonly string[]): Promise<void> {
    await this.#warnOfFindings(offerFindingsPrefix(id), "prompts", name, offers);
  }

  /** Reports unusable entries of a list, for example one that is too long. Notifies again only if they change. */
  async warnOfLeftOut({ id, name }: NamedServer, problems: readonly string[]): Promise<void> {
    const prefix = leftOutPrefix(id);
    const body = `${problems
      .slice(0, MAX_NAMED)
      .map((each) => revealHidden(each.slice(0, 300)))
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

  async #warnOfFindings(prefix: string, kind: string, name: string, found: readonly string[]): Promise<void> {
    if (found.length === 0) return;
    await this.#end(prefix);
    await this.#raise(
      prefix,
      `Look at what ${kind} of MCP server ${name} say`,
      `They address the model, name tools of others, ask for secrets or hide text: ${joinNames(found)}. toolkeep server show ${name} says what was found.`,
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

function joinNames(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return (
    names
      .slice(0, MAX_NAMED)
      .map((name) => revealHidden(name.slice(0, 64)))
      .join(", ") + more
  );
}
