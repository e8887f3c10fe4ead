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
  ["folder", "Folder of documents"],
  ["obsidian", "Obsidian vault"],
  ["bookmarks", "Browser bookmarks"],
  ["notion", "Notion export"],
  ["mail", "Mail (mbox, Maildir)"],
] as const;

const EMPTY = { name: "", kind: "folder", path: "", ignore: "", label: "" };

/** Adds a source. A test reads a small part of it first and changes nothing. */
export function AddSource({ onClose }: { onClose: () => void }) {
  const [fields, setFields, clearDraft] = useDraft("add-source", EMPTY);
  const set = (change: Partial<typeof EMPTY>) => setFields({ ...fields, ...change });
  const test = useAction({
    run: (client, trial: SourceTrial) => client.post<SourceTest>("/sources/test", trial),
    quiet: true,
  });
  const add = useAction({
    run: (client, source: NewSource) => client.post<SourceAnswer>("/sources", source),
    successMessage: ({ source }) => `Added ${source.name}. Sync it to read its documents.`,
    invalidates: ["/sources"],
    quiet: true,
  });
  const [testResult, setTestResult, clearTestResult] = useDraft<SourceTest | null>("tested-source", null);
  const config = {
    path: fields.path.trim(),
    ...(fields.ignore.trim() === ""
      ? {}
      : { ignore: fields.ignore.split("\n").filter((line) => line.trim() !== "") }),
  };
  const submit = async () => {
    const label = fields.label.trim();
    const result = await add.run({
      name: fields.name.trim(),
      kind: fields.kind,
      config,
      label: label === "" ? null : label,
    });
    if (!result) return;
    clearDraft();
    clearTestResult();
    navigate(urlWith({ add: "" }, joinPath("knowledge", "sources", result.source.name)));
  };
  return (
    <Dialog
      title="Add source"
      onClose={onClose}
      footer={
        <>
          <Button
            icon="play"
            busy={test.isBusy}
            onClick={async () => setTestResult((await test.run({ kind: fields.kind, config })) ?? null)}
          >
            Test
          </Button>
          <Button look="primary" type="submit" form="add-source" busy={add.isBusy}>
            Add source
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
        <Field label="Type">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={fields.kind}
              onChange={(event) => set({ kind: event.target.value })}
              options={KINDS}
            />
          )}
        </Field>
        <Field label="Path" hint="A folder or file on the daemon's machine.">
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
        <Field label="Ignore" hint="Patterns as in .gitignore, one per line.">
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
        <Field label="Label" hint="Optional. Only tokens with this label can find its documents.">
          {(inputProps) => (
            <TextInput
              {...inputProps}
              value={fields.label}
              onChange={(event) => set({ label: event.target.value })}
            />
          )}
        </Field>
        {testResult && <TestSummary result={testResult} />}
        <FormProblem problem={test.problem ?? add.problem} />
      </form>
    </Dialog>
  );
}

function TestSummary({ result }: { result: SourceTest }) {
  if (!result.ok)
    return (
      <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">
        <UntrustedText text={result.error} />
      </p>
    );
  return (
    <div className="rounded-md border border-line px-3 py-2" aria-live="polite">
      <p className="font-medium text-ok">
        {result.more ? "At least " : ""}
        {result.files} files will be read
      </p>
      <ul className="mt-1">
        {result.sample.slice(0, 8).map(({ key, title, chunks }) => (
          <li key={key} className="truncate">
            <UntrustedText text={title} max={120} />{" "}
            <span className="text-xs text-soft">{chunks} passages</span>
          </li>
        ))}
      </ul>
      {result.problems.slice(0, 5).map(({ key, reason }) => (
        <p key={key} className="text-warn">
          <UntrustedText text={`${key}: ${reason}`} max={200} />
        </p>
      ))}
    </div>
  );
}
