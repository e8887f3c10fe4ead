import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox, Field, Select, TextArea, TextInput } from "../../ui/form.tsx";
import type { SecretValues, ServerFields } from "./server-fields.ts";

interface ServerFormProps {
  readonly fields: ServerFields;
  readonly onFields: (fields: ServerFields) => void;
  readonly values: SecretValues;
  readonly onValues: (values: SecretValues) => void;
  /** It is registered: its kind stays, and values that are left blank keep what is stored. */
  readonly stored?: boolean;
}

/** How a server is reached, and how it is treated. */
export function ServerForm({ fields, onFields, values, onValues, stored = false }: ServerFormProps) {
  const set = (change: Partial<ServerFields>) => onFields({ ...fields, ...change });
  return (
    <div className="flex flex-col gap-4">
      <Field label="Name" hint="Letters, digits, spaces, -, _ or . — the names of its tools begin with it.">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            required
            maxLength={64}
            value={fields.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      {!stored && (
        <Field label="What it is">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={fields.kind}
              onChange={(event) => set({ kind: event.target.value as ServerFields["kind"] })}
              options={[
                ["program", "A program on the machine of the daemon"],
                ["address", "An address (HTTP)"],
              ]}
            />
          )}
        </Field>
      )}
      {fields.kind === "program" ? (
        <Program fields={fields} set={set} values={values} onValues={onValues} stored={stored} />
      ) : (
        <Address fields={fields} set={set} values={values} onValues={onValues} stored={stored} />
      )}
      <details>
        <summary className="py-1 font-medium">More</summary>
        <div className="flex flex-col gap-4 pt-3">
          <Checkbox
            label="Trust what it says of its tools"
            hint="Else new and changed tools wait for you, and its word counts only where it makes things safer."
            checked={fields.trusted}
            onChange={(event) => set({ trusted: event.target.checked })}
          />
          <Checkbox
            label="Start it with the daemon"
            hint="Else its first call starts it, and it is stopped when nobody needs it."
            checked={fields.eager}
            onChange={(event) => set({ eager: event.target.checked })}
          />
          <Field label="Time limit of a call, in seconds">
            {(inputProps) => (
              <TextInput
                {...inputProps}
                inputMode="decimal"
                value={fields.timeout}
                onChange={(event) => set({ timeout: event.target.value })}
              />
            )}
          </Field>
          {fields.kind === "program" && (
            <Field label="Sandbox" hint="What it sees of the machine; see docs/sandbox.md.">
              {(inputProps) => (
                <Select
                  {...inputProps}
                  value={fields.sandbox}
                  onChange={(event) => set({ sandbox: event.target.value as ServerFields["sandbox"] })}
                  options={[
                    ["", "As the settings say"],
                    ["off", "None"],
                    ["auto", "Where the machine has one"],
                    ["required", "Required: else it does not start"],
                  ]}
                />
              )}
            </Field>
          )}
          {fields.kind === "address" && (
            <>
              <Field
                label="OAuth client id"
                hint="Only where the server wants one that was registered by hand."
              >
                {(inputProps) => (
                  <TextInput
                    {...inputProps}
                    mono
                    value={fields.clientId}
                    onChange={(event) => set({ clientId: event.target.value })}
                  />
                )}
              </Field>
              <Field label="OAuth client secret" hint={stored ? "Blank keeps what is stored." : undefined}>
                {(inputProps) => (
                  <TextInput
                    {...inputProps}
                    mono
                    type="password"
                    autoComplete="new-password"
                    value={values.clientSecret ?? ""}
                    onChange={(event) => onValues({ ...values, clientSecret: event.target.value })}
                  />
                )}
              </Field>
              <Field label="OAuth scope">
                {(inputProps) => (
                  <TextInput
                    {...inputProps}
                    mono
                    value={fields.scope}
                    onChange={(event) => set({ scope: event.target.value })}
                  />
                )}
              </Field>
            </>
          )}
        </div>
      </details>
    </div>
  );
}

interface PartProps extends Required<Pick<ServerFormProps, "fields" | "values" | "onValues" | "stored">> {
  readonly set: (change: Partial<ServerFields>) => void;
}

function Program({ fields, set, ...rest }: PartProps) {
  return (
    <>
      <Field label="Command" hint="The program alone: npx, uvx, node, docker or a path.">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            required
            value={fields.command}
            onChange={(event) => set({ command: event.target.value })}
          />
        )}
      </Field>
      <Field label="Arguments" hint="One a line.">
        {(inputProps) => (
          <TextArea
            {...inputProps}
            mono
            rows={3}
            value={fields.args}
            onChange={(event) => set({ args: event.target.value })}
          />
        )}
      </Field>
      <Pairs
        kind="env"
        title="Variables"
        keys={fields.envKeys}
        onKeys={(envKeys) => set({ envKeys })}
        add="Add a variable"
        {...rest}
      />
      <Field label="Folder it runs in" hint="Blank: the home of Toolkeep.">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            value={fields.cwd}
            onChange={(event) => set({ cwd: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function Address({ fields, set, ...rest }: PartProps) {
  return (
    <>
      <Field label="Address">
        {(inputProps) => (
          <TextInput
            {...inputProps}
            mono
            required
            type="url"
            placeholder="https://mcp.example.com/mcp"
            value={fields.url}
            onChange={(event) => set({ url: event.target.value })}
          />
        )}
      </Field>
      <Pairs
        kind="header"
        title="Headers"
        keys={fields.headerKeys}
        onKeys={(headerKeys) => set({ headerKeys })}
        add="Add a header"
        {...rest}
      />
    </>
  );
}

interface PairsProps extends Pick<PartProps, "values" | "onValues" | "stored"> {
  readonly kind: "env" | "header";
  readonly title: string;
  readonly keys: readonly string[];
  readonly onKeys: (keys: readonly string[]) => void;
  readonly add: string;
}

/** Names in the open, values hidden. A secret of the vault is named as {{secret:NAME}}. */
function Pairs({ kind, title, keys, onKeys, add, values, onValues, stored }: PairsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{title}</legend>
      {keys.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: its name is what is being typed
        <div key={index} className="flex gap-2">
          <TextInput
            mono
            aria-label={`Name of ${title.toLowerCase()} ${index + 1}`}
            placeholder="NAME"
            value={key}
            onChange={(event) => {
              const { [`${kind} ${key}`]: value, ...rest } = values;
              onValues(value === undefined ? rest : { ...rest, [`${kind} ${event.target.value}`]: value });
              onKeys(keys.with(index, event.target.value));
            }}
          />
          <TextInput
            mono
            type="password"
            autoComplete="new-password"
            aria-label={`Value of ${key || `${title.toLowerCase()} ${index + 1}`}`}
            placeholder={stored ? "blank keeps what is stored" : "value or {{secret:NAME}}"}
            value={values[`${kind} ${key}`] ?? ""}
            onChange={(event) => onValues({ ...values, [`${kind} ${key}`]: event.target.value })}
          />
          <IconButton
            icon="close"
            label={`Remove ${key || "this one"}`}
            onClick={() => onKeys(keys.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" look="quiet" onClick={() => onKeys([...keys, ""])}>
          {add}
        </Button>
      </div>
    </fieldset>
  );
}
