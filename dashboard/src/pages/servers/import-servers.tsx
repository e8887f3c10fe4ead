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

const SETTLE_MS = 300;

interface WayProps {
  readonly onClose: () => void;
  /** What leads to the other ways. */
  readonly children: ReactNode;
}

/** Servers that clients on the daemon's machine have, previewed and then taken over. */
export function ImportServers({ onClose, children }: WayProps) {
  const preview = useGet<ImportPreview>("/imports");
  const choice = useChoice(preview.data);
  const add = useImport(onClose);
  return (
    <Dialog
      title="Import servers"
      wide
      onClose={onClose}
      footer={
        <ImportButton choice={choice} busy={add.isBusy} onImport={(names) => void add.run({ names })} />
      }
    >
      {children}
      <QueryView query={preview}>
        {({ servers, files }) => (
          <div className="flex flex-col gap-4">
            {servers.length === 0 ? (
              <EmptyState title="No client on this machine has a server">
                Looked for the settings of Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini and
                others in the home of whoever runs the daemon.
              </EmptyState>
            ) : (
              <Choices servers={servers} choice={choice} />
            )}
            <FilesRead files={files} />
            <FormProblem problem={add.problem} />
          </div>
        )}
      </QueryView>
    </Dialog>
  );
}

/** Servers in a text, previewed and then taken over. The text may hold secrets: it is not kept. */
export function PasteServers({ onClose, children }: WayProps) {
  const [text, setText] = useState("");
  const read = useAction({
    run: (client, pasted: string) => client.post<ImportPreview>("/imports/pasted", { text: pasted }),
    quiet: true,
  });
  const [preview, setPreview] = useState<ImportPreview>();
  const choice = useChoice(preview);
  const add = useImport(onClose);
  // Read once nobody has typed for a moment; what is shown belongs to what stands in the field, and nothing to what did.
  const { run } = read;
  const latest = useRef(text);
  latest.current = text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another text is read anew
  useEffect(() => {
    if (text.trim() === "") return;
    const timer = window.setTimeout(async () => {
      const found = await run(text);
      if (latest.current === text) setPreview(found);
    }, SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  const look = (pasted: string) => {
    setText(pasted);
    setPreview(undefined);
  };
  const problem = preview?.files.find((file) => file.problem !== null)?.problem;
  return (
    <Dialog
      title="Paste servers"
      wide
      onClose={onClose}
      footer={
        <ImportButton choice={choice} busy={add.isBusy} onImport={(names) => void add.run({ names, text })} />
      }
    >
      {children}
      <div className="flex flex-col gap-4">
        <Field
          label="What a README shows"
          hint="A command such as claude mcp add or npx, an address, or settings as JSON or TOML."
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
              onChange={(event) => look(event.target.value)}
            />
          )}
        </Field>
        {preview && preview.servers.length > 0 && <Choices servers={preview.servers} choice={choice} />}
        {preview && preview.servers.length === 0 && !problem && (
          <p className="text-soft">There is no server in it.</p>
        )}
        <FormProblem problem={read.problem ?? add.problem} />
      </div>
    </Dialog>
  );
}

interface Choice {
  readonly names: readonly string[];
  has(name: string): boolean;
  toggle(name: string): void;
}

/** Everything that is new is chosen until the person says otherwise. */
function useChoice(preview: ImportPreview | undefined): Choice {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const possible = (preview?.servers ?? []).flatMap(({ verdict }) =>
    isPossible(verdict) ? [verdict.name] : [],
  );
  return {
    names: possible.filter((name) => !left.has(name)),
    has: (name) => !left.has(name),
    toggle: (name) => {
      const next = new Set(left);
      if (!next.delete(name)) next.add(name);
      setLeft(next);
    },
  };
}

function useImport(onClose: () => void) {
  const toast = useToast();
  const action = useAction({
    run: (client, wanted: NewImport) => client.post<ImportAnswer>("/imports", wanted),
    invalidates: ["/servers", "/tools", "/home", "/status", "/imports"],
    quiet: true,
  });
  return {
    ...action,
    async run(wanted: NewImport) {
      const answer = await action.run(wanted);
      if (!answer) return;
      const failed = answer.results.filter(({ error }) => error !== null);
      toast.show(`${answer.results.length - failed.length} servers were imported`);
      for (const { error } of failed) toast.showProblem({ message: error!, remedy: "Add it with the form." });
      onClose();
    },
  };
}

function ImportButton({
  choice,
  busy,
  onImport,
}: {
  choice: Choice;
  busy: boolean;
  onImport: (names: readonly string[]) => void;
}) {
  const { names } = choice;
  return (
    <Button look="primary" busy={busy} disabled={names.length === 0} onClick={() => onImport(names)}>
      {names.length === 0 ? "Nothing to import" : `Import ${names.length}`}
    </Button>
  );
}

function Choices({ servers, choice }: { servers: readonly ImportPreviewServer[]; choice: Choice }) {
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {servers.map((server, index) => {
        const { verdict } = server;
        const name = "name" in verdict ? verdict.name : server.name;
        const { words, tone } = wordsFor(verdict);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name
          <li key={index} className="px-3 py-2">
            <label className="flex items-start gap-3">
              <input
                type="checkbox"
                className="mt-0.5 size-4 accent-accent-fill"
                disabled={!isPossible(verdict)}
                checked={isPossible(verdict) && choice.has(name)}
                onChange={() => choice.toggle(name)}
              />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-center gap-2">
                  <b>
                    <UntrustedText text={name} />
                  </b>
                  <Badge tone={tone}>{words}</Badge>
                  <span className="text-xs text-soft">{server.clients.join(", ")}</span>
                </span>
                <span className="block text-soft">
                  <UntrustedText text={server.reach} mono />
                </span>
                {(server.envKeys.length > 0 || server.headerKeys.length > 0) && (
                  <span className="block text-xs text-soft">
                    with {[...server.envKeys, ...server.headerKeys].join(", ")}
                  </span>
                )}
                {server.missing.length > 0 && (
                  <span className="block text-warn">
                    Not set here, so it is switched off: {server.missing.join(", ")}
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

function FilesRead({ files }: { files: ImportPreview["files"] }) {
  if (files.length === 0) return null;
  return (
    <details>
      <summary className="py-1 font-medium">Files that were read ({files.length})</summary>
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

function isPossible(
  verdict: ImportVerdict,
): verdict is Extract<ImportVerdict, { kind: "new" | "renamed" | "completed" }> {
  return verdict.kind === "new" || verdict.kind === "renamed" || verdict.kind === "completed";
}

function wordsFor(verdict: ImportVerdict): { words: string; tone: Tone } {
  switch (verdict.kind) {
    case "new":
      return { words: "new", tone: "ok" };
    case "renamed":
      return { words: verdict.why === "taken" ? "renamed: the name is taken" : "renamed", tone: "accent" };
    case "completed":
      return { words: "completed with values that were missing", tone: "accent" };
    case "same":
      return { words: "is here already", tone: "neutral" };
    case "skipped":
      return { words: verdict.reason, tone: "warn" };
  }
}
