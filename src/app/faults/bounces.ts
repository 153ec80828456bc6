// Answers a mail to `bounce+5.1.1@…` with a delivery status notification (RFC 3464) to its sender. Both are stored in
// the same inbox.
import type { Logger } from "../../lib/logger.ts";
import type { Envelope } from "../../lib/smtp.ts";
import type { MessageDraft } from "../../store/index.ts";
import { type Arrival, HeaderStart } from "../arrival.ts";
import type { Inboxes } from "../inboxes.ts";
import type { Mailbox } from "../mailbox.ts";
import { bounceStatus } from "./faults.ts";

export interface BounceOptions {
  readonly inboxes: Pick<Inboxes, "place">;
  readonly serverName: string;
  readonly now: () => Date;
  readonly logger: Logger;
}

interface Failure {
  readonly recipient: string;
  readonly status: string;
}

/** The notification is stored before the 250 of the mail. The null sender gets none: a bounce must not bounce. */
export function withBounces(mailbox: Pick<Mailbox, "receive">, options: BounceOptions) {
  return {
    receive(envelope: Envelope & Arrival): MessageDraft {
      const draft = mailbox.receive(envelope);
      const failures = failuresOf(envelope);
      if (failures.length === 0 || envelope.sender === "") return draft;
      const start = new HeaderStart();
      return {
        append(chunk) {
          start.push(chunk);
          return draft.append(chunk);
        },
        async commit(tags) {
          const stored = await draft.commit(tags);
          options.logger.info("fault on purpose", {
            rule: "fault-addresses",
            id: stored.id,
            status: failures.map(({ status }) => status).join(" "),
          });
          const notice = notification(envelope.sender, failures, headerOf(start.bytes), options);
          const inbox = options.inboxes.place(envelope, start.bytes);
          const bounce = mailbox.receive({ sender: "", recipients: [envelope.sender], inbox });
          try {
            await bounce.append(notice);
            await bounce.commit();
          } catch (error) {
            options.logger.error("bounce not stored", { id: stored.id, error: String(error) });
          }
          return stored;
        },
        abort: () => draft.abort(),
      };
    },
  };
}

const isFailure = (status: string): boolean => status.startsWith("5");

const headerOf = (start: Buffer): Buffer =>
  Buffer.from(start.toString("latin1").split(/\r?\n\r?\n/, 1)[0] ?? "", "latin1");

function failuresOf({ recipients, notify }: Envelope): Failure[] {
  return recipients.flatMap((recipient) => {
    const status = bounceStatus(recipient);
    if (status === null) return [];
    const event = isFailure(status) ? "FAILURE" : "DELAY";
    const wanted = notify?.get(recipient)?.toUpperCase().split(",") ?? [event];
    return wanted.includes(event) ? [{ recipient, status }] : [];
  });
}

function notification(
  sender: string,
  failures: readonly Failure[],
  header: Buffer,
  { serverName, now }: BounceOptions,
): Buffer {
  const date = now().toUTCString().replace("GMT", "+0000");
  const id = crypto.randomUUID();
  const boundary = `bounce-${id}`;
  const isDelay = !failures.some(({ status }) => isFailure(status));
  const isUtf8 = failures.some(({ recipient }) => !isAscii(recipient));
  const lines = [
    `From: Mail Delivery System <mailer-daemon@${serverName}>`,
    `To: ${sender}`,
    `Subject: ${isDelay ? "Delayed Mail (still being retried)" : "Undelivered Mail Returned to Sender"}`,
    `Date: ${date}`,
    `Message-ID: <${id}@${serverName}>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    "Content-Transfer-Encoding: 8bit",
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    `This mail was accepted and then ${isDelay ? "delayed" : "bounced"} on purpose, as its recipient address requested.`,
    "",
    ...failures.map(({ recipient, status }) => `<${recipient}>: ${diagnosis(status)}`),
    "",
    `--${boundary}`,
    // A recipient that is not ASCII needs the type message/global-delivery-status (RFC 6533 section 4).
    ...(isUtf8
      ? ["Content-Type: message/global-delivery-status", "Content-Transfer-Encoding: 8bit"]
      : ["Content-Type: message/delivery-status"]),
    "",
    `Reporting-MTA: dns; ${serverName}`,
    `Arrival-Date: ${date}`,
    ...failures.flatMap(({ recipient, status }) => [
      "",
      `Final-Recipient: ${isAscii(recipient) ? "rfc822" : "utf-8"}; ${recipient}`,
      `Action: ${isFailure(status) ? "failed" : "delayed"}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnosis(status)}`,
    ]),
    "",
    `--${boundary}`,
    "Content-Type: text/rfc822-headers",
    "Content-Transfer-Encoding: 8bit",
    "",
  ];
  return Buffer.concat([
    Buffer.from(`${lines.join("\r\n")}\r\n`),
    header,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

const isAscii = (address: string) => /^[ -~]*$/.test(address);

const diagnosis = (status: string) =>
  `${status[0]}50 ${status} ${isFailure(status) ? "Bounced" : "Delayed"} on purpose`;
