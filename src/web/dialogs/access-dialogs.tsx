// The dialogs in which admins create and remove inboxes, and tokens for programs.
import { useSignal } from "@preact/signals";
import { hostAndPort, unbracketed } from "../../lib/hosts.ts";
import type { InboxState, OpenedInbox, Token } from "../../model/index.ts";
import * as api from "../api/index.ts";
import { formatMoment } from "../format/time.ts";
import { ask, openDialog } from "../state/layout.ts";
import { inboxes, loadInboxes, mayAdminister } from "../state/service.ts";
import { attempt } from "../state/toasts.ts";
import { type Field, useLoaded, type Values } from "../ui/index.ts";
import { Panel, Secrets } from "./panel.tsx";

const INBOX_FIELDS: readonly Field[] = [
  {
    name: "name",
    label: "Name",
    isWide: true,
    required: true,
    autofocus: true,
    pattern: "[a-z0-9][a-z0-9._\\-]{0,62}",
    title: "Lower-case letters, digits, dots, dashes and underscores",
    placeholder: "ci-42",
  },
  { name: "expires", label: "Expires after", placeholder: "never, or 2h, 7d" },
];

export function InboxesDialog() {
  const made = useSignal<OpenedInbox | undefined>(undefined);
  const create = async ({ name = "", ...wish }: Values, form: HTMLFormElement) => {
    const answer = await api.createInbox(name, wish);
    if (!answer.token) throw new Error(`There is already an inbox ${name}.`);
    made.value = answer;
    form.reset();
    await loadInboxes();
  };
  return (
    <Panel
      title="Inboxes"
      form={mayAdminister() && { fields: INBOX_FIELDS, action: "Create inbox", onSubmit: create }}
      list={{ state: "ready", value: inboxes.value }}
      empty="There are no inboxes."
      head={["Inbox", "Mail", "Expiry"]}
      row={({ name, messages, unread, expires_at }) => [
        <a key={name} href={api.inboxAddress(name)}>
          {name}
        </a>,
        `${messages.toLocaleString()}, ${unread.toLocaleString()} unread`,
        expiry(expires_at),
      ]}
      remove={(inbox) =>
        mayAdminister() && !inbox.is_declared
          ? { label: `Remove ${inbox.name}`, run: () => askToRemove(inbox) }
          : undefined
      }
    >
      {made.value && <Made inbox={made.value} />}
    </Panel>
  );
}

function Made({ inbox: { name, address, smtp, token = "" } }: { inbox: OpenedInbox }) {
  const values = {
    Address: address,
    "SMTP server": hostAndPort(unbracketed(smtp.host), smtp.port),
    "SMTP user": smtp.username,
    "Token and SMTP password": token,
  };
  return <Secrets title={`The inbox ${name}`} values={values} />;
}

function askToRemove({ name, messages }: InboxState): void {
  ask({
    title: `Remove the inbox ${name}?`,
    text: () =>
      `Its mail (${messages.toLocaleString()}) and its token will be deleted, too. This cannot be undone.`,
    action: "Remove",
    run: async () => {
      await attempt("Not removed", api.removeInbox(name));
      await loadInboxes();
      openDialog("inboxes");
    },
  });
}

const ROLES = { read: "read", write: "write", admin: "admin" } as const;
const TOKEN_FIELDS: readonly Field[] = [
  { name: "name", label: "Name", isWide: true, autofocus: true, required: true, placeholder: "nightly" },
  { name: "role", label: "Role", options: ROLES, defaultValue: "write" },
  { name: "inbox", label: "Inbox", placeholder: "all mail" },
  { name: "expires", label: "Expires after", placeholder: "never, or 7d" },
];

export function TokensDialog() {
  const made = useSignal("");
  const list = useLoaded(api.listTokens);
  const create = async ({ name = "", role, ...wish }: Values, form: HTMLFormElement) => {
    made.value = (await api.createToken({ ...wish, name, role: role as Token["role"] })).token;
    form.reset();
    list.reload();
  };
  return (
    <Panel
      title="Tokens"
      hint={
        <>
          Programs send a token as <code>Authorization: Bearer mk_…</code>. The role <b>read</b> can only look
          at mail, <b>write</b> can also change, delete and release it, <b>admin</b> can also manage inboxes,
          tokens and everyone's faults.
        </>
      }
      form={{ fields: TOKEN_FIELDS, action: "Create token", onSubmit: create }}
      list={list}
      empty="There are no tokens."
      head={["Token", "Role", "Inboxes", "Created", "Expiry"]}
      row={(token) => [
        token.name ?? token.id,
        token.role,
        token.inboxes?.join(", ") ?? "all mail",
        // A narrow page hides the head, so the word "created" is needed here.
        `created ${formatMoment(token.created_at)}`,
        expiry(token.expires_at ?? endOfInbox(token)),
      ]}
      remove={(token) => ({ label: `Revoke ${token.name ?? token.id}`, run: () => askToRevoke(token) })}
    >
      {made.value && <Secrets title="The new token" values={{ Token: made.value }} />}
    </Panel>
  );
}

/** A token for a single inbox ends when that inbox ends. */
const endOfInbox = ({ inboxes: own }: Token) =>
  own?.length === 1 ? inboxes.value.find(({ name }) => name === own[0])?.expires_at : null;

const expiry = (end: string | null | undefined) => (end ? `until ${formatMoment(end)}` : "never expires");

function askToRevoke({ id, name }: Token): void {
  ask({
    title: `Revoke the token ${name ?? id}?`,
    text: () => "Programs that use it can no longer sign in. This cannot be undone.",
    action: "Revoke",
    run: async () => {
      await attempt("Not revoked", api.revokeToken(id));
      openDialog("tokens");
    },
  });
}
