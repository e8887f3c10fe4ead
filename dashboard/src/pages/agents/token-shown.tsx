import { useState } from "react";
import type { SnippetList, TokenAnswer } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Select } from "../../ui/form.tsx";
import { QueryView } from "../../ui/states.tsx";

/** A new token, this once, with what to write into the settings of each client. */
export function TokenShown({ made: { token, record }, onClose }: { made: TokenAnswer; onClose: () => void }) {
  const confirm = useConfirm();
  const leave = async () => {
    const isConfirmed = await confirm({
      title: "Close without having kept it?",
      description:
        "Nobody can see this token again. Whoever has not copied it needs a new one; this one should then be revoked.",
      action: "Close it",
      danger: true,
    });
    if (isConfirmed) onClose();
  };
  return (
    <Dialog
      title="The token, shown this once"
      wide
      onClose={() => void leave()}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div>
          <p className="mb-2">
            Copy it now. Toolkeep keeps only a fingerprint of it: after this window is closed nobody can see
            it again.
          </p>
          <Code text={token} label="the token" />
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

/** What to write into the settings of each client. */
function Snippets({ token }: { token: string }) {
  const snippets = useGet<SnippetList>("/mcp/snippets");
  const [client, setClient] = useState("");
  return (
    <QueryView query={snippets} rows={4}>
      {({ snippets: all, placeholder }) => {
        const shown = all.find((one) => one.client === client) ?? all[0]!;
        return (
          <div className="flex flex-col gap-2">
            <Field label="Connect">
              {(inputProps) => (
                <Select
                  {...inputProps}
                  value={shown.client}
                  options={all.map((one) => [one.client, one.title] as const)}
                  onChange={({ target }) => setClient(target.value)}
                />
              )}
            </Field>
            <p className="text-soft">
              {shown.file === null ? (
                shown.language === "shell" ? (
                  "Run this where the client is:"
                ) : (
                  "Give this to the client:"
                )
              ) : (
                <>
                  Add this to <span className="font-mono text-xs text-text">{shown.file}</span>:
                </>
              )}
            </p>
            <Code
              text={shown.text.replaceAll(placeholder, token)}
              label={`what to give to ${shown.title}`}
              tall
            />
            <p className="text-soft">{shown.next}</p>
          </div>
        );
      }}
    </QueryView>
  );
}
