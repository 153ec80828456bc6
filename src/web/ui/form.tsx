// Named values as a table, a list or a form. A form keeps its input, because the server may refuse it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { asFailure } from "../api/index.ts";
import { complain, hideToast } from "../state/toasts.ts";
import { MailText } from "./mail-text.tsx";

interface TableProps {
  head: readonly ComponentChildren[];
  /** If false, only screen readers get the head. */
  showsHead?: boolean;
  caption?: ComponentChildren;
  /** The first value of a row is its heading. */
  rows: readonly (readonly ComponentChildren[])[];
}

export function Table({ head, showsHead = false, caption, rows }: TableProps) {
  return (
    <table class="small table">
      {caption && <caption class="hint">{caption}</caption>}
      <thead class={showsHead ? "" : "visually-hidden"}>
        <tr>
          {head.map((name, index) => (
            <th key={index} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...values], index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            {values.map((value, column) => (
              <td key={column} dir="auto">
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Facts({ facts }: { facts: readonly (readonly ComponentChildren[])[] }) {
  return (
    <dl class="small facts">
      {facts.map(([name, value], index) => (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function TextFacts(facts: Readonly<Record<string, string>>) {
  const said = Object.entries(facts).filter(([, text]) => text !== "");
  return <Facts facts={said.map(([name, text]) => [name, <MailText key={name} text={text} />])} />;
}

export interface Field extends Omit<JSX.IntrinsicElements["input"], "name" | "label" | "role" | "type"> {
  name: string;
  label: string;
  type?: "number" | "password";
  options?: Readonly<Record<string, string>>;
  isWide?: boolean;
}

export type Values = Readonly<Record<string, string>>;

export interface FormProps {
  fields: readonly Field[];
  action: string;
  failed?: string;
  /** Empty fields are left out of the values. */
  onSubmit: (values: Values, form: HTMLFormElement) => Promise<unknown>;
}

export function Form({ fields, action, failed = "", onSubmit }: FormProps) {
  const isBusy = useSignal(false);
  const complaint = useRef(0);
  useEffect(() => () => hideToast(complaint.current), []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const typed = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()] as const);
    const values = Object.fromEntries(typed.filter(([, value]) => value !== ""));
    isBusy.value = true;
    hideToast(complaint.current);
    await onSubmit(values, form).catch((error: unknown) => {
      // The API names fields "of the request body". In the page they are fields of this form.
      complaint.current = complain(failed + asFailure(error).message.replace(" of the request body", ""));
    });
    isBusy.value = false;
  };
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <div class="row wrap">
        {fields.map(({ label, isWide, options, ...field }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: a select or an input is inside
          <label key={field.name} class={isWide ? "column small field field-grow" : "column small field"}>
            {label}
            {options ? (
              <select class="input" name={field.name}>
                {Object.entries(options).map(([value, name]) => (
                  // Unlike `selected`, `defaultSelected` also decides what a reset chooses.
                  <option key={value} value={value} {...{ defaultSelected: value === field.defaultValue }}>
                    {name}
                  </option>
                ))}
              </select>
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
