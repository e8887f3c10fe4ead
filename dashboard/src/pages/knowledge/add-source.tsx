import { joinPath } from "../../api/client.ts";
import type { NewSource, SourceAnswer, SourceTest, SourceTrial } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, Select, TextArea, TextInput } from "../../ui/form.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";

const KINDS = [
  ["folder", "A folder of documents"],
  ["obsidian", "An Obsidian vault"],
  ["bookmarks", "Bookmarks of a browser"],
  ["notion", "An export of Notion"],
  ["mail", "Mail (mbox, Maildir)"],
] as const;

const NOTHING = { name: "", kind: "folder", path: "", ignore: "", label: "" };

/** A new source, tried before it is added: a little of it is read, and nothing is changed. */
export function AddSource({ onClose }: { onClose: () => void }) {
  const [fields, setFields, forget] = useDraft("add-source", NOTHING);
  const set = (change: Partial<typeof NOTHING>) => setFields({ ...fields, ...change });
  const test = useAction({
    run: (client, trial: SourceTrial) => client.post<SourceTest>("/sources/test", trial),
    quiet: true,
  });
  const add = useAction({
    run: (client, source: NewSource) => client.post<SourceAnswer>("/sources", source),
    successMessage: ({ source }) => `${source.name} was added; sync it to read it`,
    invalidates: ["/sources"],
    quiet: true,
  });
  const [tested, setTested, forgetTest] = useDraft<SourceTest | null>("tested-source", null);
  const config = {
    path: fields.path.trim(),
    ...(fields.ignore.trim() === ""
      ? {}
      : { ignore: fields.ignore.split("\n").filter((line) => line.trim() !== "") }),
  };
  const submit = async () => {
    const label = fields.label.trim();
    const added = await add.run({
      name: fields.name.trim(),
      kind: fields.kind,
      config,
      label: label === "" ? null : label,
    });
    if (!added) return;
    forget();
    forgetTest();
    navigate(urlWith({ add: "" }, joinPath("knowledge", "sources", added.source.name)));
  };
  return (
    <Dialog
      title="Add a source"
      onClose={onClose}
      footer={
        <>
          <Button
            icon="play"
            busy={test.isBusy}
            onClick={async () => setTested((await test.run({ kind: fields.kind, config })) ?? null)}
          >
            Test
          </Button>
          <Button look="primary" type="submit" form="add-source" busy={add.isBusy}>
            Add
          </Button>
        </>
      }
    >
      <form
        id="add-source"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label="Name">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              required
              value={fields.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label="What it is">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={fields.kind}
              onChange={(event) => set({ kind: event.target.value })}
              options={KINDS}
            />
          )}
        </Field>
        <Field label="Path" hint="On the machine of the daemon: a folder, or one file.">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              mono
              required
              value={fields.path}
              onChange={(event) => set({ path: event.target.value })}
            />
          )}
        </Field>
        <Field label="Left out" hint="Patterns as in .gitignore, one a line.">
          {(inputProps) => (
            <TextArea
              {...inputProps}
              mono
              rows={2}
              value={fields.ignore}
              onChange={(event) => set({ ignore: event.target.value })}
            />
          )}
        </Field>
        <Field label="Label" hint="With one, only tokens with that label find what is in it.">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={fields.label}
              onChange={(event) => set({ label: event.target.value })}
            />
          )}
        </Field>
        {tested && <Trial tested={tested} />}
        <FormProblem problem={test.problem ?? add.problem} />
      </form>
    </Dialog>
  );
}

function Trial({ tested }: { tested: SourceTest }) {
  if (!tested.ok)
    return (
      <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">
        <UntrustedText text={tested.error} />
      </p>
    );
  return (
    <div className="rounded-md border border-line px-3 py-2" aria-live="polite">
      <p className="font-medium text-ok">
        {tested.more ? "At least " : ""}
        {tested.files} files would be read
      </p>
      <ul className="mt-1">
        {tested.sample.slice(0, 8).map(({ key, title, chunks }) => (
          <li key={key} className="truncate">
            <UntrustedText text={title} max={120} />{" "}
            <span className="text-xs text-soft">{chunks} passages</span>
          </li>
        ))}
      </ul>
      {tested.problems.slice(0, 5).map(({ key, reason }) => (
        <p key={key} className="text-warn">
          <UntrustedText text={`${key}: ${reason}`} max={200} />
        </p>
      ))}
    </div>
  );
}
