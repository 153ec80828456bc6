// Users of Mailpit and MailHog need to change only the ports: mail is sent by SMTP and read with their clients.
import { expect, test } from "bun:test";
import mailhogClient from "mailhog";
import { MailpitClient } from "mailpit-api";
import { createTransport } from "nodemailer";
import { startMailkeep } from "../support/mailkeep.ts";

test("mail that nodemailer sends is read by Mailpit's and MailHog's clients at their ports", async () => {
  await using server = await startMailkeep({
    args: ["--mailpit-port=0", "--mailhog-port=0", "--mailpit-env"],
    environment: { MP_LABEL: "ours", MP_MAX_MESSAGES: "1" },
  });
  const ready = JSON.parse(await server.line((line) => line.includes('"event":"ready"')));
  const warned = await server.process.stderr.getReader().read();
  expect(Buffer.from(warned.value ?? []).toString()).toBe(
    "mailkeep: MP_LABEL has no equivalent in Mailkeep\n",
  );

  for (const url of [ready.mailpit, ready.mailhog]) expect((await fetch(url)).status).toBe(200);

  const transport = createTransport({ host: "127.0.0.1", port: server.smtpPort });
  const sent = { from: "shop@example.com", to: "Ann <ann+order@example.com>", text: "Your code is 482913." };
  await transport.sendMail({ ...sent, subject: "First" });
  await transport.sendMail({ ...sent, subject: "Second", headers: { "X-Tags": "checkout" } });
  transport.close();

  const mailpit = new MailpitClient(ready.mailpit);
  const message = await mailpit.waitForMessage({ query: "to:ann+order@example.com subject:Second" });
  expect(message).toMatchObject({
    From: { Address: "shop@example.com" },
    To: [{ Name: "Ann", Address: "ann+order@example.com" }],
    Text: "Your code is 482913.\r\n",
  });
  expect(message.Tags.toSorted()).toEqual(["checkout", "order"]);
  await mailpit.waitForMessages({ count: 1, exact: true });

  const { hostname: host, port } = new URL(ready.mailhog);
  const mailhog = mailhogClient({ host, port: Number(port) });
  expect((await mailhog.latestTo("ann+order@example.com"))?.text).toBe("Your code is 482913.");
  await mailhog.deleteAll();
  expect((await mailpit.listMessages()).total).toBe(0);

  await mailpit.setChaosTriggers({ Recipient: { ErrorCode: 452, Probability: 100 } });
  const refused = createTransport({ host: "127.0.0.1", port: server.smtpPort });
  await expect(refused.sendMail(sent)).rejects.toThrow("452");
  refused.close();
});

test("the error for a port that is taken names the flag", async () => {
  await using server = await startMailkeep();
  const { port } = new URL(server.http);
  const second = startMailkeep({ args: [`--mailpit-port=${port}`] });
  await expect(second).rejects.toThrow("--mailpit-port");
});
