// Sends a mail to a server that may refuse it.
import type { Running } from "../../../support/mailkeep.ts";
import { openSmtp } from "../../../support/smtp-client.ts";

/** The reply to a mail whose body has that many bytes. */
export async function send(server: Running, subject: string, bytes: number): Promise<string> {
  const raw = `Subject: ${subject}\r\n\r\n${"x".repeat(bytes)}\r\n`;
  const client = await openSmtp(server.smtpPort);
  await client.reply();
  await client.command("EHLO test");
  await client.command("MAIL FROM:<a@example.com>");
  await client.command("RCPT TO:<b@example.com>");
  client.write(`BDAT ${raw.length} LAST\r\n${raw}`);
  const reply = await client.reply();
  client.end();
  return reply;
}
