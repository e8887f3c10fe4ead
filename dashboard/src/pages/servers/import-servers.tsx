import { type ReactNode, useEffect, useRef, useState } from "react";
import type {
  ImportAnswer,
  ImportPreview,
  ImportPreviewServer,
  ImportVerdict,
  NewImport,
} from "../../api/contract.ts";
import { useAction, useGet } from "../../api/use-api.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, FormProblem, TextArea } from "../../ui/form.tsx";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const DEBOUNCE_MS = 300;

interface AddServerDialogProps {
  readonly onClose: () => void;
  /** The tabs that lead to the other methods. */
  readonly children: ReactNode;
}

/** Previews and imports the servers of clients on the daemon's machine. */
export function ImportServers({ onClose, children }: AddServerDialogProps) {
  const preview = useGet<ImportPreview>("/imports");
  const selection = useSelection(preview.data);
  const add = useImport(onClose);
  return (
    <Dialog
      title="Import servers"
      wide
      onClose={onClose}
      footer={
        <ImportButton selection={selection} busy={add.isBusy} onImport={(names) => void add.run({ names })} />
      }
    >
      {children}
      <QueryView query={preview}>
        {({ servers, files }) => (
          <div className="flex flex-col gap-4">
            {servers.length === 0 ? (
              <EmptyState title="No servers found">
                Toolkeep looked for the settings of Claude Code, Claude Desktop, Cursor, VS Code, Codex,
                Gemini and others on the daemon's machine. Paste the settings or use the form instead.
              </EmptyState>
            ) : (
              <ServerChoices servers={servers} selection={selection} />
            )}
            <SourceFiles files={files} />
            <FormProblem problem={add.problem} />
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

/** Previews and imports servers from pasted text. The text may contain secrets, so it is not kept as a draft. */
export function PasteServers({ onClose, children }: AddServerDialogProps) {
  const [text, setText] = useState("");
  const read = useAction({
    run: (client, input: string) => client.post<ImportPreview>("/imports/pasted", { text: input }),
    quiet: true,
  });
  const [preview, setPreview] = useState<ImportPreview>();
  const selection = useSelection(preview);
  const add = useImport(onClose);
  // Debounced. A late answer for an older text is dropped, so that the preview always matches the field.
  const { run } = read;
  const latest = useRef(text);
  latest.current = text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new text starts another preview
  useEffect(() => {
    if (text.trim() === "") return;
    const timer = window.setTimeout(async () => {
      const result = await run(text);
      if (latest.current === text) setPreview(result);
    }, DEBOUNCE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const changeText = (next: string) => {
    setText(next);
    setPreview(undefined);
  };
  const problem = preview?.files.find((file) => file.problem !== null)?.problem;
  return (
    <Dialog
      title="Paste server settings"
      wide
      onClose={onClose}
      footer={
        <ImportButton
          selection={selection}
          busy={add.isBusy}
          onImport={(names) => void add.run({ names, text })}
        />
      }
    >
      {children}
      <div className="flex flex-col gap-4">
        <Field
          label="Settings or command"
          hint="Paste from a README: a command such as claude mcp add or npx, a URL, or JSON or TOML."
          error={problem ?? undefined}
        >
          {(inputProps) => (
            <TextArea
              {...inputProps}
              mono
              rows={8}
              value={text}
              placeholder={
                '{\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "…"] }\n  }\n}'
              }
              onChange={(event) => changeText(event.target.value)}
            />
          )}
        </Field>
        {preview && preview.servers.length > 0 && (
          <ServerChoices servers={preview.servers} selection={selection} />
        )}
        {preview && preview.servers.length === 0 && !problem && (
          <p className="text-soft">No server found in this text.</p>
        )}
        <FormProblem problem={read.problem ?? add.problem} />
      </div>
    </Dialog>
  );
}

interface Selection {
  readonly names: readonly string[];
  has(name: string): boolean;
  toggle(name: string): void;
}

/** Selects every importable server by default. */
function useSelection(preview: ImportPreview | undefined): Selection {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const importable = (preview?.servers ?? []).flatMap(({ verdict }) =>
    isImportable(verdict) ? [verdict.name] : [],
  );
  return {
    names: importable.filter((name) => !excluded.has(name)),
    has: (name) => !excluded.has(name),
    toggle: (name) => {
      const next = new Set(excluded);
      if (!next.delete(name)) next.add(name);
      setExcluded(next);
    },
  };
}

function useImport(onClose: () => void) {
  const toast = useToast();
  const action = useAction({
    run: (client, input: NewImport) => client.post<ImportAnswer>("/imports", input),
    invalidates: ["/servers", "/tools", "/home", "/status", "/imports"],
    quiet: true,
  });
  return {
    ...action,
    async run(input: NewImport) {
      const answer = await action.run(input);
      if (!answer) return;
      const failed = answer.results.filter(({ error }) => error !== null);
      const count = answer.results.length - failed.length;
      toast.show(`Imported ${count} ${count === 1 ? "server" : "servers"}`);
      for (const { error } of failed) toast.showProblem({ message: error!, remedy: "Add it with the form." });
      onClose();
    },
  };
}

function ImportButton({
  selection,
  busy,
  onImport,
}: {
  selection: Selection;
  busy: boolean;
  onImport: (names: readonly string[]) => void;
}) {
  const { names } = selection;
  return (
    <Button look="primary" busy={busy} disabled={names.length === 0} onClick={() => onImport(names)}>
      {names.length === 0 ? "Nothing to import" : `Import ${names.length}`}
    </Button>
  );
}

function ServerChoices({
  servers,
  selection,
}: {
  servers: readonly ImportPreviewServer[];
  selection: Selection;
}) {
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {servers.map((server, index) => {
        const { verdict } = server;
        const name = "name" in verdict ? verdict.name : server.name;
        const { label, tone } = describeVerdict(verdict);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name
          <li key={index} className="px-3 py-2">
            <label className="flex items-start gap-3">
              <input
                type="checkbox"
                className="mt-0.5 size-4 accent-accent-fill"
                disabled={!isImportable(verdict)}
                checked={isImportable(verdict) && selection.has(name)}
                onChange={() => selection.toggle(name)}
              />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2">
                  <b>
                    <UntrustedText text={name} />
                  </b>
                  <Badge tone={tone}>{label}</Badge>
                  <span className="text-xs text-soft">{server.clients.join(", ")}</span>
                </span>
                <span className="block text-soft">
                  <UntrustedText text={server.reach} mono />
                </span>
                {(server.envKeys.length > 0 || server.headerKeys.length > 0) && (
                  <span className="block text-xs text-soft">
                    Values: {[...server.envKeys, ...server.headerKeys].join(", ")}
                  </span>
                )}
                {server.missing.length > 0 && (
                  <span className="block text-warn">
                    Imported as disabled, because these are not set: {server.missing.join(", ")}
                  </span>
                )}
                {server.notes.map((note) => (
                  <span key={note} className="block text-soft">
                    <UntrustedText text={note} />
                  </span>
                ))}
              </span>
            </label>
          </li>
        );
      })}
    </ul>
  );
}

function SourceFiles({ files }: { files: ImportPreview["files"] }) {
  if (files.length === 0) return null;
  return (
    <details>
      <summary className="py-1 font-medium">Files read ({files.length})</summary>
      <ul className="pt-1">
        {files.map(({ path, servers, problem }) => (
          <li key={path} className="flex justify-between gap-4">
            <UntrustedText text={path} mono />
            <span className={problem ? "text-bad" : "text-soft"}>{problem ?? `${servers} servers`}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function isImportable(
  verdict: ImportVerdict,
): verdict is Extract<ImportVerdict, { kind: "new" | "renamed" | "completed" }> {
  return verdict.kind === "new" || verdict.kind === "renamed" || verdict.kind === "completed";
}

function describeVerdict(verdict: ImportVerdict): { label: string; tone: Tone } {
  switch (verdict.kind) {
    case "new":
      return { label: "new", tone: "ok" };
    case "renamed":
      return { label: verdict.why === "taken" ? "renamed, name is taken" : "renamed", tone: "accent" };
    case "completed":
      return { label: "adds missing values", tone: "accent" };
    case "same":
      return { label: "already added", tone: "neutral" };
    case "skipped":
      return { label: verdict.reason, tone: "warn" };
  }
}
