// Sends a sample mail and sets its flags and tags.
import { createTransport } from "nodemailer";
import type { SampleMail } from "./mails.ts";

export interface Target {
  readonly smtp: { readonly host: string; readonly port: number };
  readonly http: string;
}

export async function sendSample({ smtp, http }: Target, mail: SampleMail): Promise<void> {
  const { tags, isRead, isStarred, ...message } = mail;
  await createTransport({ ...smtp, ignoreTLS: true }).sendMail(message);
  const list = await fetch(`${http}/api/v1/messages?limit=1`);
  const { messages } = (await list.json()) as { messages: { id: string }[] };
  await fetch(`${http}/api/v1/messages/${messages[0]?.id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...(tags && { tags }),
      ...(isRead && { is_read: true }),
      ...(isStarred && { is_starred: true }),
    }),
  });
}
