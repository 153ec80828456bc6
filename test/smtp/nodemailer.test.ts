import { expect, test } from "bun:test";
import { createTransport } from "nodemailer";
import { startTestServer } from "./test-server.ts";

test("nodemailer delivers over a plain connection", async () => {
  await using running = await startTestServer();
  const transport = createTransport({ host: "127.0.0.1", port: running.server.port, ignoreTLS: true });
  const sent = await transport.sendMail({
    from: "alice@example.com",
    to: ["bob@example.com", "carol@example.com"],
    subject: "Hello",
    text: "A line\r\n.starting with a dot\r\n",
  });
  const [mail] = running.mailbox.mails;
  expect(mail?.sender).toBe("alice@example.com");
  expect(mail?.recipients).toEqual(["bob@example.com", "carol@example.com"]);
  expect(mail?.raw.toString()).toContain("\r\n\r\nA line\r\n.starting with a dot\r\n");
  expect(sent.response).toBe(`250 2.0.0 Stored as ${mail?.id}`);
});
