// Brings mail into the store.
import type { Logger } from "../lib/logger.ts";
import type { Envelope } from "../lib/smtp.ts";
import type { MessageSummary } from "../model/index.ts";
import type { MessageDraft, Store } from "../store/index.ts";
import { type Arrival, type ArrivalTagging, HeaderStart, tagsOf } from "./arrival.ts";
import type { Inboxes } from "./inboxes.ts";
import type { Retention } from "./retention.ts";

export interface MailboxOptions {
  readonly store: Store;
  readonly inboxes: Pick<Inboxes, "needsHeader" | "place" | "retentionOf">;
  /** The limits for the mail of all inboxes together. */
  readonly retention?: Retention;
  readonly tagging: ArrivalTagging;
}

export class Mailbox {
  readonly #options: MailboxOptions;

  constructor(options: MailboxOptions) {
    this.#options = options;
  }

  receive(envelope: Envelope & Arrival): MessageDraft {
    const { store, retention, inboxes, tagging } = this.#options;
    const draft = store.begin(envelope);
    const needsHeader = tagging.header !== undefined || inboxes.needsHeader(envelope);
    const start = needsHeader ? new HeaderStart() : null;
    return {
      append: (chunk) => {
        start?.push(chunk);
        return draft.append(chunk);
      },
      commit: async () => {
        const header = start?.bytes ?? null;
        const inbox = inboxes.place(envelope, header);
        const stored = await draft.commit(tagsOf(tagging, envelope.recipients, header), inbox);
        for (const limit of [retention, inboxes.retentionOf(inbox)])
          if (limit?.isBounded) await limit.applyLimits();
        return stored;
      },
      abort: () => draft.abort(),
    };
  }
}

export type StoredMail = Pick<MessageSummary, "id" | "sender" | "recipients" | "subject" | "size">;

const MAX_LOGGED_SUBJECT_CHARS = 100;

/** The log line of a mail that came by SMTP or HTTP. */
export function logStored(logger: Logger, mail: StoredMail, client: string): void {
  const { id, sender, recipients, size } = mail;
  const subject = mail.subject.slice(0, MAX_LOGGED_SUBJECT_CHARS);
  const [to] = recipients;
  logger.info("mail stored", { id, sender, to, recipients: recipients.length, subject, size, client });
}
