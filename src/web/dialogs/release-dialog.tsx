// Releases a mail to a real SMTP server and shows the server's answer.
import type { RelayOutcome, ReleaseRequest } from "../../model/index.ts";
import { releaseMessage } from "../api/index.ts";
import { closeDialog } from "../state/layout.ts";
import { mailOf } from "../state/mails.ts";
import { service } from "../state/service.ts";
import { releaseTarget } from "../state/settings.ts";
import { tell } from "../state/toasts.ts";
import { type Field, Form, type Values } from "../ui/index.ts";
import { Dialog } from "./dialog.tsx";

const ENCRYPTIONS = { "": "Automatic", starttls: "STARTTLS", implicit: "TLS", none: "None" };

export function ReleaseDialog({ ids: [id] }: { ids: readonly string[] }) {
  const recipients = (id && mailOf(id)?.peek().recipients) || [];
  if (!id) return null;
  const { host, port } = releaseTarget.peek();
  const relay = service.peek()?.relay;
  const fields: Field[] = [
    {
      name: "host",
      label: "Host",
      isWide: true,
      autofocus: true,
      required: !relay,
      defaultValue: host,
      placeholder: relay ? `${relay.host}, unless you name another` : "smtp.example.com",
    },
    { name: "port", label: "Port", type: "number", min: 1, max: 65535, required: true, defaultValue: port },
    { name: "tls", label: "Encryption", options: ENCRYPTIONS },
    { name: "username", label: "User name, if the server needs one", isWide: true },
    { name: "password", label: "Password", type: "password", isWide: true },
    {
      name: "to",
      label: "Recipients",
      required: true,
      isWide: true,
      defaultValue: recipients.join(", "),
    },
  ];
  const send = async (values: Values, form: HTMLFormElement) => {
    const target = readTarget(values, recipients);
    releaseTarget.value = { host: target.host ?? "", port: target.port ?? 25 };
    // The message is sent even if the dialog is closed first. A notice shows the outcome.
    const receipt = await releaseMessage(id, target);
    tell(detailsOf({ ...receipt, reason: null, tries: 1 }));
    if (form.isConnected) closeDialog();
  };
  return (
    <Dialog title="Release to a real server" onClose={closeDialog}>
      <p class="hint">Sends the mail unchanged. It also stays here.</p>
      <Form fields={fields} action="Release" failed="Not released: " onSubmit={send} />
    </Dialog>
  );
}

function readTarget(
  { port, to: typed = "", ...rest }: Values,
  recipients: readonly string[],
): ReleaseRequest {
  // Addresses may have names, and commas, semicolons or spaces between them.
  const addresses = typed.match(/[^\s,;<>"]+@[^\s,;<>"]+/g) ?? [];
  const to = addresses.join() === recipients.join() ? {} : { to: addresses };
  return rest.host ? { ...to, ...rest, port: Number(port) } : to;
}

/** Tells in one line how the release or the relay of a mail went. */
export function detailsOf(said: Omit<RelayOutcome, "status" | "at">): string {
  const { accepted, rejected, response, reason, tries } = said;
  return [
    accepted.length > 0 && `Accepted for ${accepted.join(", ")}.`,
    rejected.length > 0 && `Refused for ${rejected.join(", ")}.`,
    response,
    reason,
    tries > 1 && `Tried ${tries} times.`,
  ]
    .filter(Boolean)
    .join(" ");
}
