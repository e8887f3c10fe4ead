import { type FormEvent, useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { NoteAnswer, NoteInput, NoteList, ProjectView } from "../../api/contract.ts";
import { useAction, usePages } from "../../api/use-api.ts";
import { useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, TextArea, TextInput } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { FormDialog } from "./form-dialog.tsx";

const PAGE_SIZE = 20;

/** The notes of a project, with a search. */
export function ProjectNotes({ project: { key, status, notes: count } }: { project: ProjectView }) {
  const path = joinPath("projects", key, "notes");
  const [text, setText] = useState("");
  const [openDialog, setOpenDialog] = useUrlState("doing");
  const pages = usePages<NoteList>(path, { text, limit: PAGE_SIZE }, (page, all) =>
    page.notes.length < PAGE_SIZE ? undefined : { offset: all.length * PAGE_SIZE },
  );
  const notes = pages.data?.pages.flatMap((page) => page.notes) ?? [];
  return (
    <PanelSection
      title={count > 0 ? `Notes (${count})` : "Notes"}
      actions={
        status === "active" && (
          <RequireRole role="operator">
            <Button icon="plus" onClick={() => setOpenDialog("note")}>
              Add note
            </Button>
          </RequireRole>
        )
      }
    >
      {count > 3 && (
        <div className="mb-2">
          <TextInput
            type="search"
            aria-label="Find a note"
            placeholder="Find a note"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
      )}
      {pages.data && notes.length === 0 && (
        <p className="text-soft">
          {text === "" ? "No notes yet. Agents find notes with search_project_notes." : "No matching notes."}
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {notes.map(({ id, title, body, tags, createdBy, updatedAt }) => (
          <li key={id}>
            <details className="rounded-md border border-line px-3 py-2">
              <summary className="font-medium">
                <UntrustedText text={title} />
              </summary>
              <div className="mt-2">
                <UntrustedText text={body} max={4_000} />
                <p className="mt-2 text-xs text-soft">
                  {createdBy === null ? "A person" : <UntrustedText text={createdBy} />} ·{" "}
                  <Time at={updatedAt} />
                  {tags.length > 0 && (
                    <>
                      {" "}
                      · <UntrustedText text={tags.map((tag) => `#${tag}`).join(" ")} />
                    </>
                  )}
                </p>
              </div>
            </details>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <div className="mt-2">
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      {openDialog === "note" && (
        <RequireRole role="operator">
          <NewNote path={path} onClose={() => setOpenDialog("")} />
        </RequireRole>
      )}
    </PanelSection>
  );
}

const EMPTY = { title: "", body: "" };

function NewNote({ path, onClose }: { path: string; onClose: () => void }) {
  const [draft, setDraft, clearDraft] = useDraft(`note-new.${path}`, EMPTY);
  const add = useAction({
    run: (client, note: NoteInput) => client.post<NoteAnswer>(path, note),
    successMessage: "Note added",
    invalidates: ["/projects"],
    quiet: true,
  });
  const close = () => {
    clearDraft();
    onClose();
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (await add.run(draft)) close();
  };
  return (
    <FormDialog
      title="Add note"
      action="Add note"
      state={add}
      isReady={draft.title.trim() !== "" && draft.body.trim() !== ""}
      onSend={(event) => void send(event)}
      onClose={close}
    >
      <Field label="Title">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            maxLength={300}
            value={draft.title}
            onChange={({ target }) => setDraft({ ...draft, title: target.value })}
          />
        )}
      </Field>
      <Field label="Note">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            rows={8}
            maxLength={10_000}
            value={draft.body}
            onChange={({ target }) => setDraft({ ...draft, body: target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
