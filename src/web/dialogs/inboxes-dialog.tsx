// All inboxes with their counts. An admin makes them here, and removes them with their mail.
import { useSignal } from "@preact/signals";
import type { InboxState, OpenedInbox } from "../../model/index.ts";
import { HOME, inboxAddress } from "../api/address.ts";
import { INBOX } from "../api/client.ts";
import { createInbox, removeInbox } from "../api/server.ts";
import { formatMoment } from "../format/time.ts";
import { inboxes, loadInboxes, mayAdminister } from "../state/access.ts";
import { ask, closeDialog, openDialog } from "../state/layout.ts";
import { attempt, complain } from "../state/toasts.ts";
import { type Field, Form } from "../ui/form.tsx";
import { Secrets } from "../ui/secrets.tsx";
import { Table } from "../ui/table.tsx";
import { Dialog } from "./dialog.tsx";

const FIELDS: readonly Field[] = [
  {
    name: "name",
    label: "Name",
    isWide: true,
    required: true,
    autofocus: true,
    pattern: "[a-z0-9][a-z0-9._\\-]{0,62}",
    title: "Small letters, digits, dots, dashes and underscores",
    placeholder: "ci-42",
  },
  { name: "expires", label: "Expires after", placeholder: "never, or 2h, 7d" },
];

export function InboxesDialog() {
  const made = useSignal<OpenedInbox | undefined>(undefined);
  const create = async ({ name = "", expires }: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    const answer = await createInbox(name, expires ? { expires } : {});
    if (!answer.token) return complain(`There is an inbox ${name} already.`);
    made.value = answer;
    form.reset();
    await loadInboxes();
  };
  const rows = inboxes.value.map((inbox) => [
    <a key={inbox.name} href={inboxAddress(inbox.name)}>
      {inbox.name}
    </a>,
    `${inbox.messages.toLocaleString()}, ${inbox.unread.toLocaleString()} unread`,
    inbox.expires_at ? `until ${formatMoment(inbox.expires_at)}` : "stays",
  ]);
  const removals = inboxes.value.map((inbox) =>
    mayAdminister() && !inbox.is_declared
      ? { label: `Remove ${inbox.name}`, run: () => askToRemove(inbox) }
      : undefined,
  );
  return (
    <Dialog title="Inboxes" class="dialog-wide" onClose={closeDialog}>
      {mayAdminister() && <Form fields={FIELDS} action="Create inbox" onSubmit={create} />}
      {made.value && <Made inbox={made.value} />}
      <Table head={["Inbox", "Mail", "Expiry"]} showsHead rows={rows} removals={removals} />
    </Dialog>
  );
}

function Made({ inbox: { name, address, smtp, token = "" } }: { inbox: OpenedInbox }) {
  const server = `${smtp.host}:${smtp.port}`;
  return (
    <Secrets
      title={`The inbox ${name}`}
      values={{
        Address: address,
        "SMTP server": server,
        "SMTP user": smtp.username,
        "Token and SMTP password": token,
      }}
    />
  );
}

function askToRemove({ name, messages }: InboxState): void {
  ask({
    title: `Remove the inbox ${name}?`,
    text: () => `Its mail (${messages.toLocaleString()}) and its token go with it.`,
    action: "Remove",
    run: async () => {
      const isRemoved = await attempt("Not removed", removeInbox(name));
      if (isRemoved && name === INBOX) location.assign(HOME);
      await loadInboxes();
      openDialog("inboxes");
    },
  });
}
