// A form of labelled fields with one button. What was typed stays there: the server may refuse it.
import { useSignal } from "@preact/signals";
import { asFailure } from "../api/client.ts";
import { complain } from "../state/toasts.ts";

export interface Field {
  name: string;
  label: string;
  type?: "number" | "password";
  required?: boolean;
  autofocus?: boolean;
  placeholder?: string;
  defaultValue?: string | number;
  min?: number;
  max?: number;
  pattern?: string;
  title?: string;
  /** A choice: the values and their names. */
  options?: Readonly<Record<string, string>>;
  /** For a text of several lines. */
  rows?: number;
  isWide?: boolean;
}

interface Props {
  fields: readonly Field[];
  action: string;
  onSubmit: (values: Readonly<Record<string, string>>, form: HTMLFormElement) => Promise<unknown>;
}

export function Form({ fields, action, onSubmit }: Props) {
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    isBusy.value = true;
    await onSubmit(values, form).catch((error: unknown) => complain(asFailure(error).message));
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="row wrap">
        {fields.map(({ label, isWide, options, rows, ...field }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: each of the three is one
          <label key={field.name} class={isWide ? "field field-grow" : "field"}>
            {label}
            {options ? (
              <select class="input" name={field.name}>
                {Object.entries(options).map(([value, name]) => (
                  <option key={value} value={value} selected={value === field.defaultValue}>
                    {name}
                  </option>
                ))}
              </select>
            ) : rows ? (
              <textarea class="input" rows={rows} {...field} />
            ) : (
              <input class="input" autocomplete="off" {...field} />
            )}
          </label>
        ))}
      </div>
      <div class="row end">
        <button type="submit" class="button button-primary" disabled={isBusy.value}>
          {isBusy.value ? `${action} …` : action}
        </button>
      </div>
    </form>
  );
}
