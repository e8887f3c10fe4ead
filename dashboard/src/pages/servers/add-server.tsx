import { useState } from "react";
import { joinPath } from "../../api/client.ts";
import type { NewServer, ServerAnswer } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useDraft } from "../../ui/use-draft.ts";
import { ImportServers, PasteServers } from "./import-servers.tsx";
import { inputOf, NO_FIELDS, newServerOf, type SecretValues } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";
import { TestSteps, useServerTest } from "./server-test.tsx";

/** The three ways a server comes here; `way` is `form`, `paste` or `import`. */
export function AddServer({ way, onClose }: { way: string; onClose: () => void }) {
  const tabs = (
    <div className="-mx-4 -mt-4 mb-4">
      <Tabs
        name="add"
        label="Ways to add servers"
        keepFirstInUrl
        tabs={[
          { id: "form", label: "Fill in" },
          { id: "paste", label: "Paste" },
          { id: "import", label: "Import from clients" },
        ]}
      />
    </div>
  );
  if (way === "paste") return <PasteServers onClose={onClose}>{tabs}</PasteServers>;
  if (way === "import") return <ImportServers onClose={onClose}>{tabs}</ImportServers>;
  return <ServerFormDialog onClose={onClose}>{tabs}</ServerFormDialog>;
}

function ServerFormDialog({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const [fields, setFields, forget] = useDraft("add-server", NO_FIELDS);
  const [values, setValues] = useState<SecretValues>({});
  const { run, start } = useServerTest();
  const add = useAction({
    run: (client, server: NewServer) => client.post<ServerAnswer>("/servers", server),
    successMessage: ({ server }) => `${server.name} was added`,
    invalidates: ["/servers", "/tools", "/home", "/status"],
    quiet: true,
  });
  const submit = async () => {
    const added = await add.run(newServerOf(fields, values));
    if (!added) return;
    forget();
    navigate(urlWith({ add: "" }, joinPath("servers", added.server.name)));
  };
  const test = () => {
    const { command, args, cwd, env, url, headers, oauth } = inputOf(fields, values);
    const given = { command, args, cwd, env, url, headers, oauth };
    start({ config: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) });
  };
  return (
    <Dialog
      title="Add a server"
      onClose={onClose}
      result={
        (add.problem || run.running || run.report || run.problem) && (
          <div className="flex flex-col gap-2">
            <TestSteps run={run} />
            <FormProblem problem={add.problem} />
          </div>
        )
      }
      footer={
        <>
          <Button icon="play" busy={run.running} onClick={test}>
            Test
          </Button>
          <Button look="primary" type="submit" form="add-server" busy={add.isBusy}>
            Add
          </Button>
        </>
      }
    >
      {children}
      <form
        id="add-server"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <ServerForm fields={fields} onFields={setFields} values={values} onValues={setValues} />
      </form>
    </Dialog>
  );
}
