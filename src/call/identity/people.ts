import type { Role } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import { checkName } from "../../contract/names.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Store } from "../../machine/db/store.ts";
import type { PersonInput, PersonRecord } from "./contract.ts";
import { Sessions } from "./sessions.ts";
import { PersonTable } from "./tables.ts";

/** The id of the owner of `TOOLKEEP_HOME`: exists from the first start, and always an admin. */
export const OWNER = "owner";
const MAX_PEOPLE = 1_000;

export interface PeopleDeps {
  readonly store: Pick<Store, "database">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Changes and reloads run one at a time: a list read before a change must not overwrite that change. */
const CHANGES = "changes";

/**
 * Who uses `/api` and the dashboard, and with which browsers. Held in memory, as agents and tokens are; `reload` reads
 * what other processes changed.
 */
export class People {
  readonly sessions: Sessions;
  readonly #deps: PeopleDeps;
  readonly #table: PersonTable;
  readonly #serial = createSerial();
  #people = new Map<string, PersonRecord>();

  private constructor(deps: PeopleDeps) {
    this.#deps = deps;
    this.#table = new PersonTable(deps.store.database);
    this.sessions = new Sessions({
      ...deps,
      personById: (id) => this.#people.get(id),
      reload: () => this.reload(),
      serialize: (work) => this.#serial(CHANGES, work),
    });
  }

  static async open(deps: PeopleDeps): Promise<People> {
    const people = new People(deps);
    await people.reload();
    return people;
  }

  /** Announces everybody whose rights changed: what they have open may have to end. */
  async reload(): Promise<void> {
    await this.#serial(CHANGES, async () => {
      const previous = this.#people;
      await this.#read();
      await this.sessions.read();
      for (const { id, name } of previous.values()) {
        if (!hasSameRights(previous.get(id), this.#people.get(id))) this.#announce(name);
      }
    });
  }

  /** Sorted by name. */
  list(): readonly PersonRecord[] {
    return [...this.#people.values()]
      .map((person) => ({ ...person, lastSeenAt: this.sessions.lastSeen(person) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Throws NOT_FOUND with the nearest name. */
  person(name: string): PersonRecord {
    const people = this.list();
    const found = people.find((person) => person.name === name);
    if (found) return found;
    const guess = nearest(
      name,
      people.map((person) => person.name),
    );
    throw new ToolkeepError(
      "NOT_FOUND",
      `no person is named ${name}${guess ? `; did you mean ${guess}?` : ""}`,
      { remedy: "toolkeep person list shows the people that exist." },
    );
  }

  personById(id: string): PersonRecord | undefined {
    return this.#people.get(id);
  }

  get owner(): PersonRecord {
    return this.#people.get(OWNER) ?? firstOwner(0);
  }

  add(name: string, role: Role): Promise<PersonRecord> {
    return this.#serial(CHANGES, async () => {
      checkName("person", name);
      if (this.#people.size >= MAX_PEOPLE)
        throw new ToolkeepError("TOO_MANY", `there are already ${MAX_PEOPLE} people`);
      const person: PersonRecord = {
        id: this.#deps.newId("per"),
        name,
        role,
        createdAt: this.#deps.clock(),
        lastSeenAt: null,
        disabled: false,
      };
      await this.#table.create(person);
      this.#people.set(person.id, person);
      this.#announce(name);
      return person;
    });
  }

  /** Takes effect at once, also for open sessions. Disabling a person signs them out everywhere. */
  edit(name: string, change: PersonInput): Promise<PersonRecord> {
    return this.#serial(CHANGES, async () => {
      const { id } = this.person(name);
      if (id === OWNER && (change.disabled || (change.role ?? "admin") !== "admin")) throw ownerIsFixed();
      if (change.name !== undefined) checkName("person", change.name);
      await this.#table.update(id, change);
      const changed = { ...this.#people.get(id)!, ...change };
      this.#people.set(id, changed);
      if (changed.disabled) this.sessions.forgetAllOf(id);
      this.#announce(changed.name);
      return this.person(changed.name);
    });
  }

  /** Also signs the person out everywhere. */
  remove(name: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      const { id } = this.person(name);
      if (id === OWNER) throw ownerIsFixed();
      await this.#table.delete(id);
      this.#people.delete(id);
      this.sessions.forgetAllOf(id);
      this.#announce(name);
    });
  }

  async #read(): Promise<void> {
    let found = await this.#table.list();
    // Twice, because somebody may be given the owner's name between the list and the insert.
    for (let tries = 0; tries < 2 && !found.some(({ id }) => id === OWNER); tries++) {
      const isNameTaken = found.some(({ name }) => name === OWNER);
      const owner = firstOwner(this.#deps.clock());
      await this.#table.ensure(
        isNameTaken ? { ...owner, name: `${OWNER}-${this.#deps.newId("of")}`.slice(0, 40) } : owner,
      );
      found = await this.#table.list();
    }
    this.#people = new Map(found.map((person) => [person.id, person]));
  }

  #announce(person: string): void {
    this.#deps.events.emit("person.changed", { person });
  }
}

function firstOwner(createdAt: number): PersonRecord {
  return { id: OWNER, name: OWNER, role: "admin", createdAt, lastSeenAt: null, disabled: false };
}

function hasSameRights(previous: PersonRecord | undefined, now: PersonRecord | undefined): boolean {
  return previous?.name === now?.name && previous?.role === now?.role && previous?.disabled === now?.disabled;
}

function ownerIsFixed(): ToolkeepError {
  return new ToolkeepError(
    "READ_ONLY",
    "the owner of TOOLKEEP_HOME is always an admin: it cannot be removed, disabled or given another role",
    { remedy: "Add another person with the role you want: toolkeep person add NAME --role ROLE." },
  );
}
