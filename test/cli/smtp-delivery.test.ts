import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { DeliveryError } from "../../src/cli/mail/delivery-error.ts";
import { encodeData, SmtpDelivery } from "../../src/cli/mail/smtp-delivery.ts";

let server: Server | undefined;
afterEach(() => server?.close());

interface Script {
  readonly extensions?: readonly string[];
  /** First word of a command → the reply to it, where it is not a 250. */
  readonly replies?: Readonly<Record<string, string>>;
  readonly greeting?: string;
  /** A reply that begins like this is the last. */
  readonly closesAfter?: string;
}

/** A server that says what it is told to and records what it hears. */
async function startScripted({
  extensions = [],
  replies = {},
  greeting = "220 hello",
  closesAfter = "none",
}: Script) {
  let heard = "";
  let isData = false;
  server = createServer((socket) => {
    socket.setEncoding("latin1");
    socket.write(`${greeting}\r\n`);
    let line = "";
    socket.on("data", (chunk) => {
      for (const char of String(chunk)) {
        heard += char;
        line += char;
        if (char !== "\n") continue;
        const [word = ""] = line.trim().split(" ");
        if (isData) {
          if (line === ".\r\n") {
            isData = false;
            socket.write("250 taken\r\n");
          }
        } else if (word === "EHLO" && !replies.EHLO) {
          socket.write(
            `${["250-me", ...extensions.map((name) => `250-${name}`), "250 HELP"].join("\r\n")}\r\n`,
          );
        } else if (word === "DATA" && !replies.DATA) {
          isData = true;
          socket.write("354 go\r\n");
        } else {
          const reply = replies[word] ?? "250 ok";
          socket.write(`${reply}\r\n`);
          if (reply.startsWith(closesAfter)) socket.end();
        }
        line = "";
      }
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { target: { host: "127.0.0.1", port, isTls: false, credentials: null }, heard: () => heard };
}

const envelope = { sender: "a@x.test", recipients: ["b@x.test", "c@x.test"] };

describe("delivery by SMTP", () => {
  test("stuffs dots and ends the last line where the server knows only DATA", async () => {
    const { target, heard } = await startScripted({});
    const delivery = await SmtpDelivery.open(target);
    expect(await delivery.send(envelope, Buffer.from("A: 1\r\n\r\n.x\r\n..\r\ny"))).toBe("taken");
    await delivery.close();
    expect(heard()).toContain(
      "MAIL FROM:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nRCPT TO:<c@x.test>\r\nDATA\r\nA: 1\r\n\r\n..x\r\n...\r\ny\r\n.\r\n",
    );
  });

  test("uses BDAT where it is offered, and says the size and that it has 8 bits", async () => {
    const { target, heard } = await startScripted({ extensions: ["CHUNKING", "SIZE 1000", "8BITMIME"] });
    const delivery = await SmtpDelivery.open(target);
    await delivery.send(envelope, Buffer.from("é\n.\n"));
    await delivery.close();
    expect(heard()).toContain("MAIL FROM:<a@x.test> SIZE=5 BODY=8BITMIME\r\n");
    expect(Buffer.from(heard(), "latin1").toString()).toContain("BDAT 5 LAST\r\né\n.\n");
  });

  test("sends the whole envelope at once where the server takes it, and pairs every reply", async () => {
    const { target, heard } = await startScripted({
      extensions: ["PIPELINING"],
      replies: { RCPT: "550 nobody here" },
    });
    const delivery = await SmtpDelivery.open(target);
    const sending = delivery.send(envelope, Buffer.from("x\r\n"));
    expect(await sending.catch(String)).toContain("the recipient <b@x.test> was refused: 550 nobody here");
    await delivery.close();
    expect(heard()).toContain("RCPT TO:<b@x.test>\r\nRCPT TO:<c@x.test>\r\nRSET\r\nQUIT\r\n");
  });

  test("falls back to HELO", async () => {
    const { target, heard } = await startScripted({ replies: { EHLO: "502 what?" } });
    const delivery = await SmtpDelivery.open(target);
    await delivery.send(envelope, Buffer.from("x\r\n"));
    await delivery.close();
    expect(heard()).toContain("HELO localhost\r\n");
  });

  test("logs in when there are credentials", async () => {
    const { target, heard } = await startScripted({ replies: { AUTH: "235 welcome" } });
    await (await SmtpDelivery.open({ ...target, credentials: { user: "me", password: "pw" } })).close();
    expect(heard()).toContain(`AUTH PLAIN ${btoa("\0me\0pw")}\r\n`);
  });

  test.each([
    ["refuses it", "454 4.7.0 not now", "STARTTLS was refused: 454 4.7.0 not now", 454],
    ["goes on without it", "220 go\r\n235 welcome", "the server answers without TLS", null],
  ])("says no password where the server offers STARTTLS and %s", async (_name, reply, message, code) => {
    const { target, heard } = await startScripted({
      extensions: ["STARTTLS"],
      replies: { STARTTLS: reply },
    });
    const opening = SmtpDelivery.open({ ...target, credentials: { user: "me", password: "pw" } });
    const error = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining(message), code });
    expect(heard()).toMatch(/^EHLO .*\r\nSTARTTLS\r\n/);
    expect(heard()).not.toContain("AUTH");
  });

  test.each([
    ["MAIL", "550 no", "the sender <a@x.test> was refused: 550 no", 550],
    ["RCPT", "451 later", "the recipient <b@x.test> was refused: 451 later", 451],
    ["DATA", "554 no", "the mail was refused: 554 no", 554],
  ])("tells what was refused: %s", async (word, reply, message, code) => {
    const { target } = await startScripted({ replies: { [word]: reply } });
    const delivery = await SmtpDelivery.open(target);
    const error = await delivery.send(envelope, Buffer.from("x\r\n")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ message, code });
    await delivery.close();
  });

  test.each([
    { sender: "x@y>\r\nRCPT TO:<injected@x.test", recipients: ["b@x.test"] },
    { sender: "a@x.test", recipients: ["b@x.test", "c@x.test\nRSET"] },
  ])("a line break in an address added commands of its own: %p", async (forged) => {
    const { target, heard } = await startScripted({});
    const delivery = await SmtpDelivery.open(target);
    await expect(delivery.send(forged, Buffer.from("x\r\n"))).rejects.toThrow(
      "has a control character in it",
    );
    await delivery.close();
    expect(heard()).toMatch(/^EHLO .*\r\nQUIT\r\n$/);
  });

  test("tells a server that speaks something else", async () => {
    const { target } = await startScripted({ greeting: "HTTP/1.1 400 Bad Request" });
    expect(SmtpDelivery.open(target)).rejects.toThrow("this is no SMTP server");
  });

  test.each([[["PIPELINING"]], [[]]])("tells a 421 before the server closes, with %p", async (extensions) => {
    const { target } = await startScripted({
      extensions,
      replies: { MAIL: "421 4.7.0 too busy" },
      closesAfter: "421",
    });
    const delivery = await SmtpDelivery.open(target);
    const sending = delivery.send(envelope, Buffer.from("x\r\n"));
    expect(await sending.catch(String)).toContain("the sender <a@x.test> was refused: 421 4.7.0 too busy");
    await delivery.close();
  });

  test("tells of TLS where a server hangs up without a word", async () => {
    server = createServer((socket) => void socket.destroy());
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const target = { host: "127.0.0.1", port, isTls: false, credentials: null };
    expect(SmtpDelivery.open(target)).rejects.toThrow("one that speaks TLS from the start needs smtps://");
  });

  test("tells a server that is not there", async () => {
    const { target } = await startScripted({});
    await new Promise((resolve) => server?.close(resolve));
    const error = await SmtpDelivery.open(target).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ code: null });
  });
});

test.each([
  ["", "\r\n.\r\n"],
  ["a\r\n", "a\r\n.\r\n"],
  [".a\r\n.\r\n", "..a\r\n..\r\n.\r\n"],
  ["a.b", "a.b\r\n.\r\n"],
])("DATA carries %p as %p", (mail, data) => {
  expect(encodeData(Buffer.from(mail)).toString()).toBe(data);
});
