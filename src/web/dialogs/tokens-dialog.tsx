// The tokens by which programs come in: made here with a role and inboxes, shown once, revoked.
import { useSignal } from "@preact/signals";
import type { Token } from "../../model/index.ts";
import { createToken, listTokens, revokeToken } from "../api/server.ts";
import { formatMoment } from "../format/time.ts";
import { ask, closeDialog, openDialog } from "../state/layout.ts";
import { attempt } from "../state/toasts.ts";
import { type Field, Form } from "../ui/form.tsx";
import { Secrets } from "../ui/secrets.tsx";
import { Table } from "../ui/table.tsx";
import { useLoaded, Waiting } from "../ui/waiting.tsx";
import { Dialog } from "./dialog.tsx";

const ROLES = { read: "read", write: "write", admin: "admin" } as const;
const FIELDS: readonly Field[] = [
  { name: "name", label: "Name", isWide: true, autofocus: true, placeholder: "nightly tests" },
  { name: "role", label: "Role", options: ROLES, defaultValue: "write" },
  { name: "inbox", label: "Inbox", placeholder: "all mail" },
  { name: "expires", label: "Expires after", placeholder: "never, or 7d" },
];

export function TokensDialog() {
  const made = useSignal("");
  const loaded = useLoaded(listTokens);
  const create = async (values: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    const { role, ...rest } = values;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""));
    made.value = (await createToken({ role: role as Token["role"], ...given })).token;
    form.reset();
    loaded.reload();
  };
  return (
    <Dialog title="Tokens" class="viewer" onClose={closeDialog}>
      <p class="hint">
        For programs: send one as <code>Authorization: Bearer mk_…</code>. <b>read</b> looks, <b>write</b>{" "}
        also changes, deletes and releases, <b>admin</b> also makes inboxes, tokens and faults for all.
      </p>
      <Form fields={FIELDS} action="Create token" onSubmit={create} />
      {made.value && <Secrets title="The new token" values={{ Token: made.value }} />}
      {loaded.state === "ready" ? <Tokens tokens={loaded.value.tokens} /> : <Waiting loaded={loaded} />}
    </Dialog>
  );
}

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0) return <p class="view-empty">There are no tokens.</p>;
  const rows = tokens.map((token) => [
    token.name ?? token.id,
    token.role,
    token.inboxes?.join(", ") ?? "all mail",
    `made ${formatMoment(token.created_at)}`,
    token.expires_at ? `until ${formatMoment(token.expires_at)}` : "stays",
  ]);
  const removals = tokens.map((token) => ({
    label: `Revoke ${token.name ?? token.id}`,
    run: () => askToRevoke(token),
  }));
  return (
    <Table head={["Token", "Role", "Inboxes", "Made", "Expiry"]} showsHead rows={rows} removals={removals} />
  );
}

function askToRevoke({ id, name }: Token): void {
  ask({
    title: `Revoke the token ${name ?? id}?`,
    text: () => "Programs that use it are refused from now on.",
    action: "Revoke",
    run: async () => {
      await attempt("Not revoked", revokeToken(id));
      openDialog("tokens");
    },
  });
}
