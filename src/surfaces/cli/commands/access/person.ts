import type { Command } from "commander";
import { ROLES, type Role } from "../../../../contract/caller.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type {
  LoginLink,
  PersonAnswer,
  PersonInput,
  PersonList,
  SessionList,
  SessionsEnded,
} from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

interface EditOptions {
  readonly role?: string;
  readonly rename?: string;
  readonly disable?: boolean;
  readonly enable?: boolean;
}

export function personCommand(shell: Shell): Command {
  const person = shell.group("person", "Manage who may use the dashboard and the API");

  person.leaf("list", "List people and their roles", listPeople);
  person
    .leaf("add <name>", "Add a person", addPerson, "eve --role operator")
    .requiredOption("--role <role>", `Role of the person: ${ROLES.join(", ")}`);
  person
    .leaf(
      "edit <name>",
      "Change a person; takes effect at once",
      editPerson,
      "eve --role viewer",
      "eve --disable",
    )
    .option("--role <role>", `Role of the person: ${ROLES.join(", ")}`)
    .option("--rename <name>", "New name")
    .option("--disable", "Block sign-in and end all sessions")
    .option("--enable", "Allow sign-in again");
  destructive(
    person,
    "remove <name>",
    "Remove a person and end their sessions",
    (name) => `Remove ${name} and end their sessions?`,
    removePerson,
    "eve",
  );
  person.leaf(
    "link <name>",
    "Print a sign-in link for a person; it works once, within ten minutes",
    linkPerson,
    "eve",
  );
  person.leaf("sessions <name>", "List the browsers a person is signed in with", listSessions, "eve");
  destructive(
    person,
    "sign-out <name> [session]",
    "End one or all sessions of a person",
    (name, session) => `End ${session ?? "every session"} of ${name}?`,
    signOut,
    "eve",
    "eve ses_…",
  );
  return person;
}

async function listPeople(run: Run): Promise<undefined> {
  const { people } = await run.get<PersonList>("/api/people");
  const rows = people.map((person) => [
    person.name,
    person.role,
    person.disabled ? "disabled" : person.owner ? "owner" : "active",
    person.sessions,
    ago(person.lastSeenAt, Date.now()),
  ]);
  run.print(
    { people },
    table(["NAME", "ROLE", "STATE", "SIGNED IN", "LAST SEEN"], rows, run.terminal.columns),
  );
}

async function addPerson(run: Run, name: string, options: { role: string }): Promise<undefined> {
  const body = { name, role: readRole(options.role) };
  const answer = await run.send<PersonAnswer>("POST", "/api/people", body);
  run.print(answer, `Added ${name} as ${answer.person.role}.\nNext: toolkeep person link ${name}\n`);
}

async function editPerson(run: Run, name: string, options: EditOptions): Promise<undefined> {
  if (options.disable && options.enable)
    throw new ToolkeepError("BAD_USAGE", "--enable and --disable are opposites; give only one");
  const change: PersonInput = {
    ...(options.role === undefined ? {} : { role: readRole(options.role) }),
    ...(options.rename === undefined ? {} : { name: options.rename }),
    ...(options.disable ? { disabled: true } : {}),
    ...(options.enable ? { disabled: false } : {}),
  };
  if (Object.keys(change).length === 0)
    throw new ToolkeepError("BAD_USAGE", "nothing to change; give --role, --rename, --enable or --disable");
  const answer = await run.send<PersonAnswer>("PATCH", path`/api/people/${name}`, change);
  const { person } = answer;
  const signIn = person.disabled ? ", sign-in blocked" : "";
  run.print(answer, `Changed ${person.name}: ${person.role}${signIn}.\n`);
}

async function removePerson(run: Run, name: string): Promise<undefined> {
  run.print(
    await run.send<object>("DELETE", path`/api/people/${name}`),
    `Removed ${name} and ended their sessions.\n`,
  );
}

async function linkPerson(run: Run, name: string): Promise<undefined> {
  const link = await run.send<LoginLink>("POST", "/api/login-links", { person: name });
  run.print(link, `${link.url}\n`);
  if (!run.json)
    run.terminal.err(
      `Anybody who opens this link is signed in as ${name}. It works once, within ten minutes.\n`,
    );
}

async function listSessions(run: Run, name: string): Promise<undefined> {
  const { sessions } = await run.get<SessionList>(path`/api/people/${name}/sessions`);
  const now = Date.now();
  const rows = sessions.map((session) => [
    session.id,
    ago(session.createdAt, now),
    ago(session.lastUsedAt, now),
    session.label,
  ]);
  run.print(
    { sessions },
    rows.length === 0
      ? `${name} is not signed in anywhere.\n`
      : table(["ID", "SIGNED IN", "LAST USED", "BROWSER"], rows, run.terminal.columns),
  );
}

async function signOut(run: Run, name: string, session: string | undefined): Promise<undefined> {
  if (session !== undefined) {
    const done = await run.send<object>("DELETE", path`/api/people/${name}/sessions/${session}`);
    run.print(done, `Ended session ${session} of ${name}.\n`);
    return;
  }
  const answer = await run.send<SessionsEnded>("DELETE", path`/api/people/${name}/sessions`);
  run.print(answer, `Ended ${counted(answer.ended, "session")} of ${name}.\n`);
}

/** Throws BAD_USAGE for an unknown role. */
export function readRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role !== undefined) return role;
  throw new ToolkeepError("BAD_USAGE", `the role must be one of ${ROLES.join(", ")}; got ${text}`);
}
