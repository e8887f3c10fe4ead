import type { InboxAnswer, InboxFile, InboxInput, InboxList } from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Field, FormProblem, TextArea, TextInput } from "../../ui/form.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";

const COLUMNS: readonly Column<InboxFile>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ name }) => <UntrustedText text={name} line mono />,
    sortBy: ({ name }) => name,
  },
  {
    id: "bytes",
    header: "Size",
    cell: ({ bytes }) => sizeOf(bytes),
    sortBy: ({ bytes }) => bytes,
    width: "6rem",
    alignEnd: true,
  },
  {
    id: "modified",
    header: "Came",
    cell: ({ modifiedAt }) => <Time at={modifiedAt} />,
    sortBy: ({ modifiedAt }) => modifiedAt,
    width: "8rem",
    showOnPhone: true,
  },
];

const NOTHING = { title: "", content: "" };

/** What agents and people put aside to be found later; it is read like any other source. */
export function Inbox() {
  const inbox = useGet<InboxList>("/inbox");
  return (
    <>
      <RequireRole role="operator">
        <Put />
      </RequireRole>
      <QueryView query={inbox}>
        {({ files, folder }) => (
          <DataTable
            label="Inbox"
            rows={files}
            columns={COLUMNS}
            rowKey={({ name }) => name}
            rowLink={({ name }) => `/knowledge?q=${encodeURIComponent(wordsOf(name))}`}
            empty={
              <EmptyState title="The inbox is empty">
                It is the folder <UntrustedText text={folder} mono />; agents put documents there with the
                tool inbox_write.
              </EmptyState>
            }
          />
        )}
      </QueryView>
    </>
  );
}

function Put() {
  const [fields, setFields, forget] = useDraft("inbox", NOTHING);
  const put = useAction({
    run: (client, input: InboxInput) => client.post<InboxAnswer>("/inbox", input),
    successMessage: ({ name }) => `Put into the inbox as ${name}`,
    invalidates: ["/inbox", "/sources"],
    quiet: true,
  });
  return (
    <details className="border-b border-line px-4 py-2">
      <summary className="font-medium">Put something in</summary>
      <form
        className="flex max-w-2xl flex-col gap-3 py-3"
        onSubmit={async (event) => {
          event.preventDefault();
          const title = fields.title.trim();
          if (await put.run({ content: fields.content, ...(title === "" ? {} : { title }) })) forget();
        }}
      >
        <Field label="Title">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={fields.title}
              onChange={(event) => setFields({ ...fields, title: event.target.value })}
            />
          )}
        </Field>
        <Field label="Text" hint="Markdown.">
          {(inputProps) => (
            <TextArea
              {...inputProps}
              required
              rows={5}
              value={fields.content}
              onChange={(event) => setFields({ ...fields, content: event.target.value })}
            />
          )}
        </Field>
        <FormProblem problem={put.problem} />
        <div>
          <Button look="primary" type="submit" busy={put.isBusy}>
            Put it in
          </Button>
        </div>
      </form>
    </details>
  );
}

/** A file is named after its title: the words that find what was read of it. */
function wordsOf(name: string): string {
  return name.replace(/\.\w+$/, "").replace(/[-_]+/g, " ");
}

function sizeOf(bytes: number): string {
  return bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${Math.round(bytes / 1_024)} kB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
