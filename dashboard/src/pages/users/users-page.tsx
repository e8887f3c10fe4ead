import type { UseQueryResult } from "@tanstack/react-query";
import { joinPath } from "../../api/client.ts";
import type { PersonAnswer, PersonList, PersonView } from "../../api/contract.ts";
import type { Problem } from "../../api/problem.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { navigate, urlWith, useUrlState } from "../../app/location.ts";
import type { PageProps } from "../../app/routes.ts";
import { RequireRole, useSession } from "../../app/session.tsx";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextInput } from "../../ui/form.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { AdminTokens } from "./admin-tokens.tsx";
import { PersonPanel } from "./person-panel.tsx";
import { ROLE_OPTIONS, ROLES } from "./role-words.ts";

/** Who may use this dashboard and the API, as what, and with which browsers. */
export function Page({ params: { name } }: PageProps) {
  const people = useGet<PersonList>("/people");
  const [adding, setAdding] = useUrlState("add");
  const view = useTab("view", ["people", "tokens"]);
  const { name: me } = useSession();
  const shown = people.data?.people.find((person) => person.name === name);
  return (
    <PageFrame
      title="Users"
      description="People who may look, operate, or change things. Agents are not among them."
      actions={
        <RequireRole role="admin">
          <Button
            look="primary"
            icon="plus"
            onClick={() => setAdding(view === "tokens" ? "token" : "person")}
          >
            {view === "tokens" ? "New admin token" : "Add a person"}
          </Button>
        </RequireRole>
      }
      panel={view === "people" && shown && <PersonPanel key={shown.id} person={shown} />}
    >
      <Tabs
        name="view"
        label="Users"
        tabs={[
          { id: "people", label: "People" },
          { id: "tokens", label: "Admin tokens" },
        ]}
      />
      {view === "tokens" ? <AdminTokens /> : <People query={people} name={name} shown={shown} me={me} />}
      {adding === "person" && (
        <RequireRole role="admin">
          <AddDialog onClose={() => setAdding("")} />
        </RequireRole>
      )}
    </PageFrame>
  );
}

function People({
  query,
  name,
  shown,
  me,
}: {
  query: UseQueryResult<PersonList, Problem>;
  name: string | undefined;
  shown: PersonView | undefined;
  me: string;
}) {
  return (
    <QueryView query={query}>
      {({ people: all }) => (
        <>
          {name !== undefined && !shown && (
            <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
              There is no person <UntrustedText text={name} />; they may have been removed.
            </p>
          )}
          <DataTable
            label="People"
            rows={all}
            columns={columns(me, shown !== undefined)}
            rowKey={(person) => person.name}
            rowLink={(person) => urlWith({}, joinPath("users", person.name))}
            selected={name}
            empty={<EmptyState title="Nobody is here" />}
          />
        </>
      )}
    </QueryView>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, forget] = useDraft<{ name: string; role: PersonView["role"] }>("person", {
    name: "",
    role: "viewer",
  });
  const add = useAction({
    run: (client) => client.post<PersonAnswer>("/people", draft),
    successMessage: "Added. Make a link for them to sign in with.",
    invalidates: ["/people"],
    quiet: true,
  });
  const send = async () => {
    const added = await add.run();
    if (!added) return;
    forget();
    navigate(urlWith({ add: "" }, joinPath("users", added.person.name)));
  };
  return (
    <Dialog
      title="Add a person"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={add.isBusy} disabled={draft.name === ""} onClick={() => void send()}>
            Add
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Field label="Name" hint="Small letters, digits, - and _; what they do is recorded under it.">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              data-autofocus
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Role" hint={ROLES[draft.role].may}>
          {(inputProps) => (
            <Select
              {...inputProps}
              options={ROLE_OPTIONS}
              value={draft.role}
              onChange={(event) => setDraft({ ...draft, role: event.target.value as PersonView["role"] })}
            />
          )}
        </Field>
        <FormProblem problem={add.problem} />
      </form>
    </Dialog>
  );
}

function columns(me: string, isNarrow: boolean): readonly Column<PersonView>[] {
  const all: readonly Column<PersonView>[] = [
    {
      id: "name",
      header: "Name",
      width: "minmax(8rem,1.2fr)",
      sortBy: ({ name }) => name,
      cell: ({ name, owner }) => (
        <span className="flex items-center gap-2">
          <UntrustedText text={name} line />
          {owner && <Badge>owner</Badge>}
          {name === me && <Badge tone="accent">you</Badge>}
        </span>
      ),
    },
    {
      id: "role",
      header: "Role",
      width: "minmax(5rem,8rem)",
      showOnPhone: true,
      sortBy: ({ role }) => role,
      cell: ({ role }) => ROLES[role].label,
    },
    {
      id: "state",
      header: "State",
      width: "9rem",
      cell: ({ disabled, sessions }) =>
        disabled ? (
          <StateMark tone="bad">Locked out</StateMark>
        ) : sessions > 0 ? (
          <StateMark tone="ok">Signed in</StateMark>
        ) : (
          <StateMark tone="neutral">Signed out</StateMark>
        ),
    },
    {
      id: "sessions",
      header: "Browsers",
      width: "6rem",
      alignEnd: true,
      sortBy: ({ sessions }) => sessions,
      cell: ({ sessions }) => sessions,
    },
    {
      id: "seen",
      header: "Last seen",
      width: "minmax(6rem,8rem)",
      showOnPhone: true,
      sortBy: ({ lastSeenAt }) => lastSeenAt ?? 0,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />,
    },
  ];
  return isNarrow ? all.filter(({ id, showOnPhone }) => id === "name" || showOnPhone) : all;
}
