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
    cell: ({ bytes }) => formatSize(bytes),
    sortBy: ({ bytes }) => bytes,
    width: "6rem",
    alignEnd: true,
  },
  {
    id: "modified",
    header: "Added",
    cell: ({ modifiedAt }) => <Time at={modifiedAt} />,
    sortBy: ({ modifiedAt }) => modifiedAt,
    width: "8rem",
    showOnPhone: true,
  },
];

const EMPTY = { title: "", content: "" };

/** Documents that agents and people put aside to find later. It is indexed like any other source. */
export function Inbox() {
  const inbox = useGet<InboxList>("/inbox");
  return (
    <>
      <RequireRole role="operator">
        <AddDocument />
      </RequireRole>
      <QueryView query={inbox}>
        {({ files, folder }) => (
          <DataTable
            label="Inbox"
            rows={files}
            columns={COLUMNS}
            rowKey={({ name }) => name}
            rowLink={({ name }) => `/knowledge?q=${encodeURIComponent(toSearchText(name))}`}
            empty={
              <EmptyState title="The inbox is empty">
                Add a document above. Agents add documents with inbox_put. The inbox is the folder{" "}
                <UntrustedText text={folder} mono />.
              </EmptyState>
            }
          />
        )}
      </QueryView>
    </>
  );
}

function AddDocument() {
  const [fields, setFields, clearDraft] = useDraft("inbox", EMPTY);
  const add = useAction({
    run: (client, input: InboxInput) => client.post<InboxAnswer>("/inbox", input),
    successMessage: ({ name }) => `Added to the inbox as ${name}`,
    invalidates: ["/inbox", "/sources"],
    quiet: true,
  });
  return (
    <details className="border-b border-line px-4 py-2">
      <summary className="font-medium">Add a document</summary>
      <form
        className="flex max-w-2xl flex-col gap-3 py-3"
        onSubmit={async (event) => {
          event.preventDefault();
          const title = fields.title.trim();
          if (await add.run({ content: fields.content, ...(title === "" ? {} : { title }) })) clearDraft();
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
        <FormProblem problem={add.problem} />
        <div>
          <Button look="primary" type="submit" busy={add.isBusy}>
            Add document
          </Button>
        </div>
      </form>
    </details>
  );
}

/** A file is named after its title, so its name finds the indexed document. */
function toSearchText(name: string): string {
  return name.replace(/\.\w+$/, "").replace(/[-_]+/g, " ");
}

function formatSize(bytes: number): string {
  return bytes < 1_024
    ? `${bytes} B`
    : bytes < 1_048_576
      ? `${Math.round(bytes / 1_024)} kB`
      : `${(bytes / 1_048_576).toFixed(1)} MB`;
}
