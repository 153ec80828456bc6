import { afterEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { connectionFailure, DeliveryError, SmtpClient } from "../../src/smtp-client/index.ts";

let server: Server | undefined;
afterEach(() => server?.close());

interface Script {
  readonly extensions?: readonly string[];
  /** Replies that differ from the usual ones, by the first word of the command. */
  readonly replies?: Readonly<Record<string, string>>;
  readonly greeting?: string;
  readonly refusedRecipient?: string;
  /** After a reply that begins like this, the server closes the connection. */
  readonly closesAfter?: string;
  readonly stopsReadingAfter?: string;
}

async function startScripted({
  extensions = [],
  replies = {},
  greeting = "220 hello",
  refusedRecipient = "nobody",
  closesAfter = "none",
  stopsReadingAfter = "none",
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
          const usual = line.includes(`<${refusedRecipient}>`) ? "550 nobody here" : "250 ok";
          const reply = replies[word] ?? usual;
          if (reply !== "") socket.write(`${reply}\r\n`);
          if (reply.startsWith(closesAfter)) socket.end();
          if (reply.startsWith(stopsReadingAfter)) socket.pause();
        }
        line = "";
      }
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { target: targetAt(port), heard: () => heard };
}

const targetAt = (port: number) => ({
  host: "127.0.0.1",
  port,
  name: "me.test",
  credentials: null,
  greetingMs: 5000,
  silenceMs: 5000,
});

const message = (text: string) => {
  const bytes = Buffer.from(text);
  return { size: bytes.length, chunks: () => [bytes] };
};
const TO_ALL = { toAll: true };

const envelope = { sender: "a@x.test", recipients: ["b@x.test", "c@x.test"] };

describe("delivery by SMTP", () => {
  test("stuffs dots and ends the last line if the server knows only DATA", async () => {
    const { target, heard } = await startScripted({});
    const client = await SmtpClient.open(target);
    expect(await client.send(envelope, message("A: 1\r\n\r\n.x\r\n..\r\ny"), TO_ALL)).toEqual({
      accepted: ["b@x.test", "c@x.test"],
      rejected: [],
      deferred: [],
      refusals: [],
      response: "250 taken",
    });
    await client.close();
    expect(heard()).toContain(
      "MAIL FROM:<a@x.test>\r\nRCPT TO:<b@x.test>\r\nRCPT TO:<c@x.test>\r\nDATA\r\nA: 1\r\n\r\n..x\r\n...\r\ny\r\n.\r\n",
    );
  });

  test("uses BDAT if it is offered, and announces the size and 8BITMIME", async () => {
    const { target, heard } = await startScripted({ extensions: ["CHUNKING", "SIZE 1000", "8BITMIME"] });
    const client = await SmtpClient.open(target);
    await client.send(envelope, message("é\n.\n"), TO_ALL);
    await client.close();
    expect(heard()).toContain("MAIL FROM:<a@x.test> SIZE=5 BODY=8BITMIME\r\n");
    expect(Buffer.from(heard(), "latin1").toString()).toContain("BDAT 5 LAST\r\né\n.\n");
  });

  test("sends the whole envelope at once if the server supports it, and pairs every reply", async () => {
    const { target, heard } = await startScripted({
      extensions: ["PIPELINING"],
      replies: { RCPT: "550 nobody here" },
    });
    const client = await SmtpClient.open(target);
    const sending = client.send(envelope, message("x\r\n"), TO_ALL);
    expect(await sending.catch(String)).toContain("the recipient <b@x.test> was refused: 550 nobody here");
    await client.close();
    expect(heard()).toContain("RCPT TO:<b@x.test>\r\nRCPT TO:<c@x.test>\r\nRSET\r\nQUIT\r\n");
  });

  test.each([
    ["DATA", []],
    ["BDAT", ["CHUNKING"]],
  ])("a refused %s is followed by RSET, so that the next mail can be sent", async (command, extensions) => {
    const { target, heard } = await startScripted({ extensions, replies: { [command]: "451 later" } });
    const client = await SmtpClient.open(target);
    expect(await client.send(envelope, message("x\r\n"), TO_ALL).catch(String)).toContain("451 later");
    await client.close();
    expect(heard()).toEndWith("RSET\r\nQUIT\r\n");
  });

  test("logs in by PLAIN if the server names no mechanism", async () => {
    const { target, heard } = await startScripted({ replies: { AUTH: "235 welcome" } });
    await (await SmtpClient.open({ ...target, credentials: { user: "me", password: "pw" } })).close();
    expect(heard()).toContain(`AUTH PLAIN ${btoa("\0me\0pw")}\r\n`);
  });

  test("logs in by LOGIN if the server offers nothing else", async () => {
    const { target, heard } = await startScripted({
      extensions: ["AUTH XOAUTH2 LOGIN"],
      replies: { AUTH: "334 VXNlcm5hbWU6", [btoa("tim")]: "334 UGFzc3dvcmQ6" },
    });
    await (await SmtpClient.open({ ...target, credentials: { user: "tim", password: "pw" } })).close();
    expect(heard()).toContain(`AUTH LOGIN\r\n${btoa("tim")}\r\n${btoa("pw")}\r\nQUIT`);
  });

  test("leaves out the recipients that are refused, unless all must get the mail", async () => {
    const { target, heard } = await startScripted({ refusedRecipient: "b@x.test" });
    const client = await SmtpClient.open(target);
    expect(await client.send(envelope, message("x\r\n"), { toAll: false })).toMatchObject({
      accepted: ["c@x.test"],
      rejected: ["b@x.test"],
      deferred: [],
    });
    await expect(client.send(envelope, message("x\r\n"), TO_ALL)).rejects.toThrow("<b@x.test> was refused");
    await client.close();
    expect(heard().match(/DATA/g)).toHaveLength(1);
  });

  test("does not send a mail that is larger than the server says it takes", async () => {
    const { target, heard } = await startScripted({ extensions: ["SIZE 10"] });
    const client = await SmtpClient.open(target);
    await expect(client.send(envelope, message("0123456789\r\n"), TO_ALL)).rejects.toMatchObject({
      failure: "refused",
      message: "the mail has 12 bytes, and the server takes at most 10",
    });
    await client.close();
    expect(heard()).not.toContain("MAIL");
  });

  test("gives up when its signal says so, and when the server is silent", async () => {
    const { target } = await startScripted({ replies: { MAIL: "" } });
    const abort = new AbortController();
    const client = await SmtpClient.open({ ...target, signal: abort.signal });
    const sending = client.send(envelope, message("x\r\n"), TO_ALL);
    abort.abort();
    await expect(sending).rejects.toMatchObject({ failure: "timeout" });
    const impatient = SmtpClient.open({ ...target, silenceMs: 10 }).then((client) =>
      client.send(envelope, message("x\r\n"), TO_ALL),
    );
    await expect(impatient).rejects.toMatchObject({ failure: "timeout" });
  });

  test("gives up when the server stops reading in the middle of a mail", async () => {
    const { target } = await startScripted({
      extensions: ["CHUNKING"],
      replies: { RCPT: "250 the last one" },
      stopsReadingAfter: "250 the last one",
    });
    const size = 100 << 20;
    const chunks = () => [Buffer.alloc(size)];
    const sending = SmtpClient.open({ ...target, silenceMs: 100 }).then((client) =>
      client.send({ sender: "", recipients: ["b@x.test"] }, { size, chunks }, TO_ALL),
    );
    await expect(sending).rejects.toMatchObject({ failure: "timeout" });
  });

  test("sends mail to a server that knows HELO but not EHLO", async () => {
    const { target, heard } = await startScripted({ replies: { EHLO: "502 what?" } });
    const client = await SmtpClient.open(target);
    await client.send(envelope, message("x\r\n"), TO_ALL);
    await client.close();
    expect(heard()).toContain("EHLO me.test\r\nHELO me.test\r\nMAIL FROM:<a@x.test>\r\n");
  });

  test.each([
    ["refuses it", "454 4.7.0 not now", "STARTTLS was refused: 454 4.7.0 not now", "refused"],
    ["goes on without it", "220 go\r\n235 welcome", "the server answers without TLS", "not-tls"],
  ])("sends no password if the server offers STARTTLS and %s", async (_name, reply, words, failure) => {
    const { target, heard } = await startScripted({
      extensions: ["STARTTLS"],
      replies: { STARTTLS: reply },
    });
    const opening = SmtpClient.open({ ...target, credentials: { user: "me", password: "pw" } });
    const error = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining(words), failure });
    expect(heard()).toMatch(/^EHLO .*\r\nSTARTTLS\r\n/);
    expect(heard()).not.toContain("AUTH");
  });

  test.each([
    ["MAIL", "550 no", "the sender <a@x.test>"],
    ["RCPT", "451 later", "the recipient <b@x.test>"],
    ["DATA", "554 no", "the mail"],
  ])("reports what was refused: %s", async (word, reply, what) => {
    const { target } = await startScripted({ replies: { [word]: reply } });
    const client = await SmtpClient.open(target);
    const error = await client.send(envelope, message("x\r\n"), TO_ALL).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ message: `${what} was refused: ${reply}`, failure: "refused", reply });
    await client.close();
  });

  test.each([
    { sender: "x@y>\r\nRCPT TO:<injected@x.test", recipients: ["b@x.test"] },
    { sender: "a@x.test", recipients: ["b@x.test", "c@x.test\nRSET"] },
  ])("a line break in an address cannot add commands: %p", async (forged) => {
    const { target, heard } = await startScripted({});
    const client = await SmtpClient.open(target);
    await expect(client.send(forged, message("x\r\n"), TO_ALL)).rejects.toThrow(
      "has a control character in it",
    );
    await client.close();
    expect(heard()).toMatch(/^EHLO .*\r\nQUIT\r\n$/);
  });

  test("reports a server that does not speak SMTP", async () => {
    const { target } = await startScripted({ greeting: "HTTP/1.1 400 Bad Request" });
    expect(SmtpClient.open(target)).rejects.toThrow("this is no SMTP server");
  });

  test.each([[["PIPELINING"]], [[]]])("reports a 421 before the close, with %p", async (extensions) => {
    const { target } = await startScripted({
      extensions,
      replies: { MAIL: "421 4.7.0 too busy" },
      closesAfter: "421",
    });
    const client = await SmtpClient.open(target);
    const sending = client.send(envelope, message("x\r\n"), TO_ALL);
    expect(await sending.catch(String)).toContain("the sender <a@x.test> was refused: 421 4.7.0 too busy");
    await client.close();
  });

  test("reports a server that closes the connection without a greeting", async () => {
    server = createServer((socket) => void socket.destroy());
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    expect(SmtpClient.open(targetAt(port))).rejects.toMatchObject({ failure: "no-greeting" });
  });

  test("does not wait for ever if the server leaves while the next piece of a mail is read", async () => {
    const { target } = await startScripted({
      extensions: ["CHUNKING"],
      replies: { RCPT: "250 the last one" },
      closesAfter: "250 the last one",
    });
    const client = await SmtpClient.open(target);
    const chunks = async function* () {
      while (!client.isOver) await Bun.sleep(1);
      yield Buffer.alloc(1 << 20);
    };
    const sending = client.send({ sender: "", recipients: ["b@x.test"] }, { size: 1 << 20, chunks }, TO_ALL);
    expect(await Promise.race([sending.catch(() => "lost"), Bun.sleep(2000)])).toBe("lost");
  });

  test("leaves no listeners on the socket when it waits for it again and again", async () => {
    const size = 100 << 20;
    let received = 0;
    server = createServer((socket) => {
      socket.write("220 hello\r\n");
      socket.on("data", (bytes) => {
        const isMail = received > 0 || bytes.toString("latin1", 0, 4) === "BDAT";
        if (isMail) received += bytes.length;
        if (!isMail) socket.write("250-ok\r\n250 CHUNKING\r\n");
        else if (received > size) socket.write("250 taken\r\n");
      });
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on("warning", note);
    const client = await SmtpClient.open(targetAt((server.address() as AddressInfo).port));
    const chunks = () => Array<Uint8Array>(100).fill(Buffer.alloc(1 << 20));
    await client.send(envelope, { size, chunks }, TO_ALL);
    await client.close();
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("reports that no server is there", async () => {
    const { target } = await startScripted({});
    await new Promise((resolve) => server?.close(resolve));
    const error = await SmtpClient.open(target).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ failure: "unreachable", message: "connection refused" });
  });
});

test("a lost connection is described in words, not by the system's code", () => {
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
  expect(connectionFailure(reset, false).message).toBe("the connection was lost");
});
