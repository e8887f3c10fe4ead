import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox, Field, Select, TextArea, TextInput } from "../../ui/form.tsx";
import type { SecretValues, ServerFields } from "./server-fields.ts";

interface ServerFormProps {
  readonly fields: ServerFields;
  readonly onFields: (fields: ServerFields) => void;
  readonly values: SecretValues;
  readonly onValues: (values: SecretValues) => void;
  /** The server exists: its type cannot change, and a blank value keeps the stored one. */
  readonly isStored?: boolean;
}

/** The fields of a server: how to reach it, and how far to trust it. */
export function ServerForm({ fields, onFields, values, onValues, isStored = false }: ServerFormProps) {
  const set = (change: Partial<ServerFields>) => onFields({ ...fields, ...change });
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="Letters, digits, spaces and - _ . are allowed. The names of its tools start with it."
      >
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
      {!isStored && (
        <Field label="Type">
          {(inputProps) => (
            <Select
              {...inputProps}
              value={fields.kind}
              onChange={(event) => set({ kind: event.target.value as ServerFields["kind"] })}
              options={[
                ["program", "Program on the daemon's machine"],
                ["address", "URL (HTTP)"],
              ]}
            />
          )}
        </Field>
      )}
      {fields.kind === "program" ? (
        <ProgramFields fields={fields} set={set} values={values} onValues={onValues} isStored={isStored} />
      ) : (
        <AddressFields fields={fields} set={set} values={values} onValues={onValues} isStored={isStored} />
      )}
      <details>
        <summary className="py-1 font-medium">Advanced</summary>
        <div className="flex flex-col gap-4 pt-3">
          <Checkbox
            label="Trust this server"
            hint="Otherwise you review new and changed tools, and its claims count only where they make rules stricter."
            checked={fields.trusted}
            onChange={(event) => set({ trusted: event.target.checked })}
          />
          <Checkbox
            label="Start with the daemon"
            hint="Otherwise it starts on its first call and stops when idle."
            checked={fields.eager}
            onChange={(event) => set({ eager: event.target.checked })}
          />
          <Field label="Call timeout in seconds">
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
            <Field
              label="Sandbox"
              hint="Limits what the program can access on the machine. See docs/sandbox.md."
            >
              {(inputProps) => (
                <Select
                  {...inputProps}
                  value={fields.sandbox}
                  onChange={(event) => set({ sandbox: event.target.value as ServerFields["sandbox"] })}
                  options={[
                    ["", "Use the default setting"],
                    ["off", "Off"],
                    ["auto", "If available"],
                    ["required", "Required to start"],
                  ]}
                />
              )}
            </Field>
          )}
          {fields.kind === "address" && (
            <>
              <Field
                label="OAuth client ID"
                hint="Only for servers that need a client you registered yourself."
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
              <Field
                label="OAuth client secret"
                hint={isStored ? "Leave blank to keep the stored secret." : undefined}
              >
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

interface FieldGroupProps
  extends Required<Pick<ServerFormProps, "fields" | "values" | "onValues" | "isStored">> {
  readonly set: (change: Partial<ServerFields>) => void;
}

function ProgramFields({ fields, set, ...rest }: FieldGroupProps) {
  return (
    <>
      <Field label="Command" hint="Only the program: npx, uvx, node, docker or a path.">
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
      <Field label="Arguments" hint="One per line.">
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
      <PairFields
        kind="env"
        title="Environment variables"
        keys={fields.envKeys}
        onKeys={(envKeys) => set({ envKeys })}
        item="variable"
        {...rest}
      />
      <Field label="Working directory" hint="Leave blank for the Toolkeep home.">
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

function AddressFields({ fields, set, ...rest }: FieldGroupProps) {
  return (
    <>
      <Field label="URL">
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
      <PairFields
        kind="header"
        title="Headers"
        keys={fields.headerKeys}
        onKeys={(headerKeys) => set({ headerKeys })}
        item="header"
        {...rest}
      />
    </>
  );
}

interface PairFieldsProps extends Pick<FieldGroupProps, "values" | "onValues" | "isStored"> {
  readonly kind: "env" | "header";
  readonly title: string;
  readonly keys: readonly string[];
  readonly onKeys: (keys: readonly string[]) => void;
  readonly item: string;
}

/** Pairs of a visible name and a masked value. A value may refer to the vault as {{secret:NAME}}. */
function PairFields({ kind, title, keys, onKeys, item, values, onValues, isStored }: PairFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{title}</legend>
      {keys.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while the person types
        <div key={index} className="flex gap-2">
          <TextInput
            mono
            aria-label={`Name of ${item} ${index + 1}`}
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
            aria-label={`Value of ${key || `${item} ${index + 1}`}`}
            placeholder={isStored ? "leave blank to keep" : "value or {{secret:NAME}}"}
            value={values[`${kind} ${key}`] ?? ""}
            onChange={(event) => onValues({ ...values, [`${kind} ${key}`]: event.target.value })}
          />
          <IconButton
            icon="close"
            label={`Remove ${key || item}`}
            onClick={() => onKeys(keys.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" look="quiet" onClick={() => onKeys([...keys, ""])}>
          Add {item}
        </Button>
      </div>
    </fieldset>
  );
}
