import { useState } from "react";
import type { SnippetList, TokenAnswer } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Select } from "../../ui/form.tsx";
import { QueryView } from "../../ui/states.tsx";

/** Shows a new token once, with a snippet for each client. */
export function CreatedTokenDialog({
  created: { token, record },
  onClose,
}: {
  created: TokenAnswer;
  onClose: () => void;
}) {
  const confirm = useConfirm();
  const confirmClose = async () => {
    const isConfirmed = await confirm({
      title: "Close without copying the token?",
      description:
        "You cannot see this token again. If you have not copied it, create a new one and revoke this one.",
      action: "Close",
      danger: true,
    });
    if (isConfirmed) onClose();
  };
  return (
    <Dialog
      title="Copy your token"
      wide
      onClose={() => void confirmClose()}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div>
          <p className="mb-2">
            Copy the token now. Toolkeep stores only a fingerprint of it, so you cannot see it again after you
            close this dialog.
          </p>
          <Code text={token} label="Token" />
        </div>
        {record.agent === null ? (
          <p>
            Send it as <code className="font-mono text-xs">Authorization: Bearer …</code> to the API, or set{" "}
            <code className="font-mono text-xs">TOOLKEEP_URL</code> and{" "}
            <code className="font-mono text-xs">TOOLKEEP_TOKEN</code> for the command line.
          </p>
        ) : (
          <Snippets token={token} />
        )}
      </div>
    </Dialog>
  );
}

/** The snippet for the selected client. */
function Snippets({ token }: { token: string }) {
  const snippets = useGet<SnippetList>("/mcp/snippets");
  const [client, setClient] = useState("");
  return (
    <QueryView query={snippets} rows={4}>
      {({ snippets: all, placeholder }) => {
        const snippet = all.find((one) => one.client === client) ?? all[0]!;
        return (
          <div className="flex flex-col gap-2">
            <Field label="Client">
              {(inputProps) => (
                <Select
                  {...inputProps}
                  value={snippet.client}
                  options={all.map((one) => [one.client, one.title] as const)}
                  onChange={({ target }) => setClient(target.value)}
                />
              )}
            </Field>
            <p className="text-soft">
              {snippet.file === null ? (
                snippet.language === "shell" ? (
                  "Run this on the client's machine:"
                ) : (
                  "Enter this in the client:"
                )
              ) : (
                <>
                  Add this to <span className="font-mono text-xs text-text">{snippet.file}</span>:
                </>
              )}
            </p>
            <Code
              text={snippet.text.replaceAll(placeholder, token)}
              label={`Snippet for ${snippet.title}`}
              tall
            />
            <p className="text-soft">{snippet.next}</p>
          </div>
        );
      }}
    </QueryView>
  );
}
