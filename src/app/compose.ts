// Makes a mail of what an application says of it. Nodemailer composes, as in the applications themselves.
import type { SendRequest } from "../model/index.ts";
import type { Envelope } from "../store/index.ts";

export interface ComposedMail {
  readonly envelope: Envelope;
  readonly bytes: Uint8Array;
}

/** Null where no recipient is named. Hidden recipients are in the envelope alone. */
export async function composeRequest(request: SendRequest): Promise<ComposedMail | null> {
  // Loaded by the first who needs it: a start does not.
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const { attachments = [], headers = {}, ...fields } = request;
  const mail = new MailComposer({
    ...fields,
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    attachments: attachments.map(({ filename, content_type, content }) => ({
      filename,
      content: Buffer.from(content, "base64"),
      ...(content_type !== undefined && { contentType: content_type }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const { from, to } = mail.getEnvelope();
  if (to.length === 0) return null;
  return { envelope: { sender: from || "", recipients: to }, bytes: await mail.build() };
}
