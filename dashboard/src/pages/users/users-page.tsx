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
import { ROLE_OPTIONS, ROLES } from "./role-labels.ts";

/** The people who can use the dashboard and the API, and the admin tokens. */
export function Page({ params: { name } }: PageProps) {
  const people = useGet<PersonList>("/people");
  const [openDialog, setOpenDialog] = useUrlState("add");
  const view = useTab("view", ["people", "tokens"]);
  const { name: me } = useSession();
  const selected = people.data?.people.find((person) => person.name === name);
  return (
    <PageFrame
      title="People"
      description="People who can use this dashboard and the API."
      actions={
        <RequireRole role="admin">
          <Button
            look="primary"
            icon="plus"
            onClick={() => setOpenDialog(view === "tokens" ? "token" : "person")}
          >
            {view === "tokens" ? "Create admin token" : "Add person"}
          </Button>
        </RequireRole>
      }
      panel={view === "people" && selected && <PersonPanel key={selected.id} person={selected} />}
    >
      <Tabs
        name="view"
        label="People"
        tabs={[
          { id: "people", label: "People" },
          { id: "tokens", label: "Admin tokens" },
        ]}
      />
      {view === "tokens" ? (
        <AdminTokens />
      ) : (
        <People query={people} name={name} selected={selected} me={me} />
      )}
      {openDialog === "person" && (
        <RequireRole role="admin">
          <AddPersonDialog onClose={() => setOpenDialog("")} />
        </RequireRole>
      )}
    </PageFrame>
  );
}

function People({
  query,
  name,
  selected,
  me,
}: {
  query: UseQueryResult<PersonList, Problem>;
  name: string | undefined;
  selected: PersonView | undefined;
  me: string;
}) {
  return (
    <QueryView query={query}>
      {({ people: all }) => (
        <>
          {name !== undefined && !selected && (
            <p role="alert" className="border-b border-line bg-warn-soft px-4 py-2">
              The person <UntrustedText text={name} /> was not found. They may have been removed.
            </p>
          )}
          <DataTable
            label="People"
            rows={all}
            columns={selectColumns(me, selected !== undefined)}
            rowKey={(person) => person.name}
            rowLink={(person) => urlWith({}, joinPath("users", person.name))}
            selected={name}
            empty={<EmptyState title="No people yet">Add a person to let them sign in.</EmptyState>}
          />
        </>
      )}
    </QueryView>
  );
}

function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft<{ name: string; role: PersonView["role"] }>("person", {
    name: "",
    role: "viewer",
  });
  const add = useAction({
    run: (client) => client.post<PersonAnswer>("/people", draft),
    successMessage: "Added. Create a login link so that they can sign in.",
    invalidates: ["/people"],
    quiet: true,
  });
  const send = async () => {
    const result = await add.run();
    if (!result) return;
    clearDraft();
    navigate(urlWith({ add: "" }, joinPath("users", result.person.name)));
  };
  return (
    <Dialog
      title="Add person"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={add.isBusy} disabled={draft.name === ""} onClick={() => void send()}>
            Add person
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
        <Field
          label="Name"
          hint="Lowercase letters, digits, - and _. Their actions are recorded under this name."
        >
          {(inputProps) => (
            <TextInput
              {...inputProps}
              data-autofocus
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Role" hint={ROLES[draft.role].description}>
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

function selectColumns(me: string, isNarrow: boolean): readonly Column<PersonView>[] {
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
      header: "Sessions",
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
