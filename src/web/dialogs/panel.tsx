// A dialog for inboxes, tokens or fault rules: a form to add one, a table of all, buttons to remove them.
import type { ComponentChildren } from "preact";
import { closeDialog } from "../state/layout.ts";
import type { Loaded } from "../state/requests.ts";
import { CopyButton, Facts, Form, type FormProps, IconButton, Ready, Table } from "../ui/index.ts";
import { Dialog } from "./dialog.tsx";

interface Props<T> {
  title: string;
  hint?: ComponentChildren;
  form: FormProps | false;
  children?: ComponentChildren;
  list: Loaded<readonly T[]>;
  empty: string;
  head: readonly string[];
  row: (one: T) => readonly ComponentChildren[];
  remove: (one: T) => { readonly label: string; readonly run: () => void } | undefined;
}

export function Panel<T>({ title, hint, form, children, list, empty, head, row, remove }: Props<T>) {
  const cells = (one: T) => {
    const { label, run } = remove(one) ?? {};
    return label
      ? [...row(one), <IconButton key={label} icon="trash" label={label} onClick={run} />]
      : row(one);
  };
  return (
    <Dialog title={title} class="viewer" onClose={closeDialog}>
      {hint && <p class="hint">{hint}</p>}
      {form && <Form {...form} />}
      {children}
      <Ready of={list}>
        {(all) =>
          all.length === 0 ? (
            <p class="view-empty">{empty}</p>
          ) : (
            <Table head={head} showsHead rows={all.map(cells)} />
          )
        }
      </Ready>
    </Dialog>
  );
}

export function Secrets({ title, values }: { title: string; values: Readonly<Record<string, string>> }) {
  const facts = Object.entries(values).map(([name, value]) => [
    name,
    <span key={name} class="row">
      <code>{value}</code>
      <CopyButton text={value} label={`Copy ${name}`} />
    </span>,
  ]);
  return (
    <section class="card" role="status">
      <h3>{title}</h3>
      <p class="hint">Copy it now: the token is not shown again.</p>
      <Facts facts={facts} />
    </section>
  );
}
