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
import { EMPTY_FIELDS, type SecretValues, toNewServer, toServerInput } from "./server-fields.ts";
import { ServerForm } from "./server-form.tsx";
import { TestSteps, useServerTest } from "./server-test.tsx";

/** The three ways to add servers; `method` is `form`, `paste` or `import`. */
export function AddServer({ way: method, onClose }: { way: string; onClose: () => void }) {
  const tabs = (
    <div className="-mx-4 -mt-4 mb-4">
      <Tabs
        name="add"
        label="Ways to add servers"
        keepFirstInUrl
        tabs={[
          { id: "form", label: "Form" },
          { id: "paste", label: "Paste" },
          { id: "import", label: "Import from clients" },
        ]}
      />
    </div>
  );
  if (method === "paste") return <PasteServers onClose={onClose}>{tabs}</PasteServers>;
  if (method === "import") return <ImportServers onClose={onClose}>{tabs}</ImportServers>;
  return <ServerFormDialog onClose={onClose}>{tabs}</ServerFormDialog>;
}

function ServerFormDialog({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const [fields, setFields, clearDraft] = useDraft("add-server", EMPTY_FIELDS);
  const [values, setValues] = useState<SecretValues>({});
  const { run, start } = useServerTest();
  const add = useAction({
    run: (client, server: NewServer) => client.post<ServerAnswer>("/servers", server),
    successMessage: ({ server }) => `Added ${server.name}`,
    invalidates: ["/servers", "/tools", "/home", "/status"],
    quiet: true,
  });
  const submit = async () => {
    const result = await add.run(toNewServer(fields, values));
    if (!result) return;
    clearDraft();
    navigate(urlWith({ add: "" }, joinPath("servers", result.server.name)));
  };
  const test = () => {
    const { command, args, cwd, env, url, headers, oauth } = toServerInput(fields, values);
    const config = { command, args, cwd, env, url, headers, oauth };
    start({ config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) });
  };
  return (
    <Dialog
      title="Add server"
      onClose={onClose}
      result={
        (add.problem || run.isRunning || run.report || run.problem) && (
          <div className="flex flex-col gap-2">
            <TestSteps run={run} />
            <FormProblem problem={add.problem} />
          </div>
        )
      }
      footer={
        <>
          <Button icon="play" busy={run.isRunning} onClick={test}>
            Test
          </Button>
          <Button look="primary" type="submit" form="add-server" busy={add.isBusy}>
            Add server
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
