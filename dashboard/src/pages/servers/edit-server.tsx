import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { ServerAnswer, ServerChange, ServerView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { fieldsOf, inputOf, type SecretValues } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";

/** Changes a server that is stored. Of variables and headers only names are known; a value left blank stays. */
export function EditServer({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(server));
  const [fields, setFields, forget] = useDraft(`edit-server.${server.id}`, before);
  const [values, setValues] = useState<SecretValues>({});
  const save = useAction({
    run: (client, change: ServerChange) =>
      client.patch<ServerAnswer>(joinPath("servers", server.name), change),
    successMessage: "Saved",
    invalidates: ["/servers", "/tools", "/home", "/status"],
    quiet: true,
  });
  const close = () => {
    forget();
    onClose();
  };
  /** Values that stay are known to the daemon only: what is tested is what was saved. */
  const submit = async (thenTest: boolean) => {
    const name = fields.name.trim();
    const change = { ...inputOf(fields, values, before), ...(name === server.name ? {} : { name }) };
    if (Object.keys(change).length > 0 && !(await save.run(change))) return;
    forget();
    navigate(urlWith({ doing: thenTest ? "test" : "" }, joinPath("servers", name)), { replace: true });
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
        <ServerForm fields={fields} onFields={setFields} values={values} onValues={setValues} stored />
        <p className="text-soft">A change of how it is reached disconnects it; calls under way end.</p>
        <FormProblem problem={save.problem} />
      </form>
    </Dialog>
  );
}
