import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ServerAnswer, ServerChange, ServerView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { type SecretValues, toFields, toServerInput } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";

/** Edits a stored server. The API returns only the names of variables and headers; a value left blank is kept. */
export function EditServer({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const [initialFields] = useState(() => toFields(server));
  const [fields, setFields, clearDraft] = useDraft(`edit-server.${server.id}`, initialFields);
  const [values, setValues] = useState<SecretValues>({});
  const save = useAction({
    run: (client, change: ServerChange) =>
      client.patch<ServerAnswer>(joinPath("servers", server.name), change),
    successMessage: "Saved",
    invalidates: ["/servers", "/tools", "/home", "/status"],
    quiet: true,
  });
  const close = () => {
    clearDraft();
    onClose();
  };
  /** Only the daemon knows the values that stay, so a test needs a save first. */
  const submit = async (shouldTest: boolean) => {
    const name = fields.name.trim();
    const change = {
      ...toServerInput(fields, values, initialFields),
      ...(name === server.name ? {} : { name }),
    };
    if (Object.keys(change).length > 0 && !(await save.run(change))) return;
    clearDraft();
    navigate(urlWith({ doing: shouldTest ? "test" : "" }, joinPath("servers", name)), { replace: true });
  };
  return (
    <Dialog
      title={`Edit ${server.name}`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button icon="play" busy={save.isBusy} onClick={() => void submit(true)}>
            Save and test
          </Button>
          <Button look="primary" type="submit" form="edit-server" busy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="edit-server"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(false);
        }}
      >
        <ServerForm fields={fields} onFields={setFields} values={values} onValues={setValues} isStored />
        <p className="text-soft">
          Changing the command or URL disconnects the server and ends its running calls.
        </p>
        <FormProblem problem={save.problem} />
      </form>
    </Dialog>
  );
}
