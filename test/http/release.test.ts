// Releasing to a real SMTP server: what is sent, which servers are allowed, and how it can fail.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CLOSED_PORT } from "../support/closed-port.ts";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { type RecorderOptions, startSmtpRecorder } from "./support/smtp-recorder.ts";

let mailkeep: Mailkeep;
beforeAll(async () => {
  mailkeep = await startMailkeep();
});
afterAll(() => mailkeep.stop());

const release = (id: string, body: object | null, by = mailkeep) =>
  by.call(`/api/v1/messages/${id}/release`, { method: "POST", body: body as never });

async function withRecorder<Result>(
  options: RecorderOptions,
  use: (recorder: ReturnType<typeof startSmtpRecorder>) => Promise<Result>,
): Promise<Result> {
  const recorder = startSmtpRecorder(options);
  try {
    return await use(recorder);
  } finally {
    recorder.stop();
  }
}

test("the stored envelope and bytes are sent, a receipt comes back, the message stays", async () => {
  const stored = await mailkeep.receive(mail("Hi"), {
    sender: "a@x.test",
    recipients: ["b@y.test", "c@z.test"],
  });
  await withRecorder({}, async (recorder) => {
    const answer = await release(stored.id, { host: "127.0.0.1", port: recorder.port });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      released: true,
      host: "127.0.0.1",
      port: recorder.port,
      accepted: ["b@y.test", "c@z.test"],
      rejected: [],
      response: "250 2.0.0 kept",
    });
    expect(recorder.commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      "MAIL FROM:<a@x.test>",
      "RCPT TO:<b@y.test>",
      "RCPT TO:<c@z.test>",
    ]);
    expect(recorder.received()[0]?.toString()).toBe(mail("Hi"));
    expect(await mailkeep.store.get(stored.id)).toEqual(stored);
  });
});

describe("bytes are sent unchanged", () => {
  const cases: [string, string | Buffer][] = [
    [
      "eight-bit and null bytes",
      Buffer.from([...Buffer.from("Subject: x\r\n\r\n"), 0, 128, 255, 195, 40, 13, 10]),
    ],
    ["a megabyte of dots", `Subject: x\r\n\r\n${"..\r\n".repeat(250_000)}`],
  ];
  test.each(cases)("%s", async (_, raw) => {
    const bytes = Buffer.from(raw as string);
    const { id } = await mailkeep.receive(new Uint8Array(bytes));
    await withRecorder({ extensions: ["8BITMIME", "PIPELINING"] }, async (recorder) => {
      expect((await release(id, { host: "127.0.0.1", port: recorder.port })).status).toBe(200);
      expect(Buffer.compare(recorder.received()[0] ?? Buffer.alloc(0), bytes)).toBe(0);
    });
  });
});

test("to and from replace the envelope, and credentials are used", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  await withRecorder({ extensions: ["AUTH PLAIN"], answers: { AUTH: "235 welcome" } }, async (recorder) => {
    const body = {
      host: "127.0.0.1",
      port: recorder.port,
      to: ["new@x.test"],
      from: "",
      username: "u",
      password: "p",
      tls: "none",
    };
    const answer = await release(id, body);
    expect(answer.json.accepted).toEqual(["new@x.test"]);
    expect(recorder.commands).toContain("MAIL FROM:<>");
    expect(recorder.commands).toContain("RCPT TO:<new@x.test>");
    expect(recorder.commands).toContain(`AUTH PLAIN ${Buffer.from("\0u\0p").toString("base64")}`);
  });
});

test("a password is not sent unencrypted unless the request allows that", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  await withRecorder({ extensions: ["AUTH PLAIN"] }, async ({ port, commands, messages }) => {
    const answer = await release(id, { host: "127.0.0.1", port, username: "u", password: "p" });
    expect(answer).toMatchObject({
      status: 502,
      json: {
        error: `127.0.0.1:${port} offers no TLS, so the password would be sent unencrypted. Set tls to "none" (in --relay: ?tls=none) to allow that.`,
        code: "release_refused",
      },
    });
    expect(commands.filter((line) => !line.startsWith("EHLO"))).toEqual([]);
    expect(messages).toEqual([]);
  });
});

describe("a server that repeats the credentials does not give them away", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const password = "SEKRET+(ü)";
  const plain = base64(`\0u\0${password}`);
  const cases: [string, RecorderOptions, string][] = [
    ["as AUTH PLAIN", { answers: { AUTH: `535 no AUTH PLAIN ${plain}` } }, "535 no AUTH PLAIN ***"],
    [
      "as AUTH PLAIN without padding",
      { answers: { AUTH: `535 no <${plain.replace(/=+$/, "")}>` } },
      "535 no <***>",
    ],
    ["as AUTH LOGIN", { answers: { AUTH: `535 no ${base64(password)}` } }, "535 no ***"],
    ["in the clear", { answers: { AUTH: `535 u/${password}, no` } }, "535 u/***, no"],
  ];
  test.each(cases)("%s", async (_, options, told) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    await withRecorder({ extensions: ["AUTH PLAIN"], ...options }, async (recorder) => {
      const { json } = await release(id, {
        host: "127.0.0.1",
        port: recorder.port,
        username: "u",
        password,
        tls: "none",
      });
      expect(json.response ?? json.error).toEndWith(told);
    });
  });
});

test("fields of a __proto__ are not taken for fields of the body", async () => {
  const { id } = await mailkeep.receive(mail("Hi"));
  await withRecorder({}, async ({ port, messages }) => {
    const rawBody = `{"host":"127.0.0.1","port":${port},"__proto__":{"to":["evil@x.test"]}}`;
    const answer = await mailkeep.call(`/api/v1/messages/${id}/release`, { method: "POST", rawBody });
    expect(answer.json.error).toBe(
      "Field __proto__ of the request body is not known here; known: host, port, to, from, username, password, tls, tls_verify.",
    );
    expect(messages).toEqual([]);
  });
});

test("recipients that the server refuses are listed", async () => {
  const { id } = await mailkeep.receive(mail("Hi"), { recipients: ["good@x.test", "bad@x.test"] });
  await withRecorder({ answers: { "RCPT TO:<bad@x.test>": "550 no such user" } }, async (recorder) => {
    const { json } = await release(id, { host: "127.0.0.1", port: recorder.port });
    expect(json).toMatchObject({
      accepted: ["good@x.test"],
      rejected: ["bad@x.test"],
      reason: expect.stringContaining("bad@x.test: 5"),
    });
  });
});

describe("failures", () => {
  const cases: [string, RecorderOptions][] = [
    ["the greeting is a refusal", { greeting: "554 go away" }],
    ["every recipient is refused", { answers: { RCPT: "550 no" } }],
    ["the message is refused", { answers: { "DATA-END": "554 spam" } }],
  ];
  test.each(cases)("%s: 502", async (_, options) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    await withRecorder(options, async (recorder) => {
      expect(await release(id, { host: "127.0.0.1", port: recorder.port })).toMatchObject({
        status: 502,
        json: { code: "release_refused" },
      });
    });
  });

  test.each<[string, RecorderOptions]>([
    ["no greeting comes", { greeting: null }],
    ["the answer to the message never comes", { answers: { "DATA-END": null } }],
  ])("%s: 504", async (_, options) => {
    const timeouts = { greetingMs: 200, silenceMs: 300, wholeMs: 1000 };
    const impatient = await startMailkeep({ release: { timeouts } });
    const { id } = await impatient.receive(mail("Hi"));
    await withRecorder(options, async ({ port }) => {
      expect(await release(id, { host: "127.0.0.1", port }, impatient)).toMatchObject({
        status: 504,
        json: { code: "release_timeout" },
      });
    });
    await impatient.stop();
  });

  test("a large mail is not given up while it is still being sent", async () => {
    const patient = await startMailkeep({ release: { timeouts: { wholeMs: 0 } } });
    const { id } = await patient.receive(`${mail("Hi")}${`${"x".repeat(98)}\r\n`.repeat(50_000)}`);
    await withRecorder({}, async ({ port }) => {
      expect((await release(id, { host: "127.0.0.1", port }, patient)).status).toBe(200);
    });
    await patient.stop();
  });

  test.each(["GREETING", "DATA-END"])(
    "the error for a server that hangs up at %s says that the connection broke off",
    async (hangUpAt) => {
      const { id } = await mailkeep.receive(mail("Hi"));
      await withRecorder({ hangUpAt }, async ({ port }) => {
        const { status, json } = await release(id, { host: "127.0.0.1", port });
        expect(status).toBe(502);
        expect(json.error).toStartWith(`The connection to 127.0.0.1:${port} broke off: `);
      });
    },
  );

  test("an address with a bracket in quotes is sent unchanged", async () => {
    const { id } = await mailkeep.receive(mail("Hi"), { sender: '"a>b"@x.test' });
    await withRecorder({}, async ({ port, commands }) => {
      expect((await release(id, { host: "127.0.0.1", port })).status).toBe(200);
      expect(commands).toContain('MAIL FROM:<"a>b"@x.test>');
    });
  });

  test("an IPv6 address in brackets is not taken for a host name", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const port = CLOSED_PORT;
    for (const host of ["::1", "[::1]"]) {
      const { json } = await release(id, { host, port });
      expect(json.error).toStartWith(`[::1]:${port} could not be reached: `);
      expect(json.error).not.toContain("the host name");
    }
  });

  test("nobody listens: 502", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const { port } = await withRecorder({}, async (recorder) => recorder);
    expect(await release(id, { host: "127.0.0.1", port })).toMatchObject({
      status: 502,
      json: {
        error: `127.0.0.1:${port} could not be reached: connection refused.`,
        code: "release_unreachable",
      },
    });
  });

  test("the name is unknown: 502", async () => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const { status, json } = await release(id, { host: "no-such-host.invalid", port: 25 });
    expect(status).toBe(502);
    expect(json.error).toBe("no-such-host.invalid:25 could not be reached: the host name is not known.");
  });

  test("an unknown message is 404", async () => {
    expect((await release("01JCMZ5T0GQ3V4W5X6Y7Z8A9BC", { host: "127.0.0.1" })).status).toBe(404);
  });
});

describe("a bad body is 400", () => {
  const cases: [string, object | null][] = [
    ["nothing", null],
    ["an empty host", { host: "" }],
    ["a host with a space", { host: "a b" }],
    ["a host with a line break", { host: "a\r\nb" }],
    ["a name with a port", { host: "smtp.example.com:587", port: 587 }],
    ["an IPv6 address with a port", { host: "[::1]:25" }],
    ["port 65536", { host: "h", port: 65536 }],
    ["port 1.5", { host: "h", port: 1.5 }],
    ["to as a string", { host: "h", to: "a@b" }],
    ["an address with a line break", { host: "h", to: ["a@b>\r\nDATA"] }],
    ["tls_verify as a word", { host: "h", tls_verify: "no" }],
    ["an empty password", { host: "h", username: "u", password: "" }],
  ];
  test.each(cases)("%s", async (_, body) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    expect((await release(id, body)).status).toBe(400);
  });

  const sentences: [string, object][] = [
    [
      "Field from of the request body must be an address without spaces, control characters and angle brackets, or empty for the null sender.",
      { host: "h", from: "a\r\nb" },
    ],
    [
      "Field host of the request body must be the name or address of an SMTP server, its port in a field of its own.",
      { host: "h:25" },
    ],
    ["Field tls of the request body must be none, starttls or implicit.", { host: "h", tls: "yes" }],
    ["Field host of the request body is missing, and --relay names no server.", { port: 25 }],
    ["Field host of the request body must be a string.", { host: null }],
    ["Field port of the request body must be an integer from 1 to 65535.", { host: "h", port: "25" }],
    ["Field to of the request body must be an array of 1 to 1000 values.", { host: "h", to: [] }],
    ["Field username of the request body must be at least one character.", { host: "h", username: "" }],
    ["Field username of the request body needs a password.", { host: "h", username: "u" }],
    ["Field password of the request body needs a username.", { host: "h", password: "p" }],
  ];
  test.each(sentences)("%s", async (sentence, body) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    expect((await release(id, body)).json).toEqual({ error: sentence, code: "invalid_body" });
  });
});

test("an unknown message is 404 before the fields are compared, also below an inbox", async () => {
  for (const below of ["", "/inboxes/default"]) {
    const path = `/api/v1${below}/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV/release`;
    expect((await mailkeep.call(path, { method: "POST", body: {} })).json.code).toBe("unknown_message");
  }
});

describe("limits on targets", () => {
  test("--no-release: 403", async () => {
    const closed = await startMailkeep({ release: { enabled: false } });
    const { id } = await closed.receive(mail("Hi"));
    const answer = await release(id, { host: "127.0.0.1" }, closed);
    expect(answer).toMatchObject({ status: 403, json: { code: "release_disabled" } });
    await closed.stop();
  });

  test("--relay-deny: a recipient is 403 for any server, also without a relay", async () => {
    const denying = await startMailkeep({ release: { deny: ["boss@*"] } });
    const { id } = await denying.receive(mail("Hi"));
    const answer = await release(id, { host: "127.0.0.1", to: ["boss@x.test"] }, denying);
    expect(answer).toMatchObject({ status: 403, json: { code: "release_forbidden" } });
    await denying.stop();
  });

  test.each([
    ["@a.test:boss@x.test", "must be an address without a route: boss@x.test"],
    ["boss@x.test.", "is not an address: the domain is not valid"],
    ["evil@y.test,boss@x.test", "is not an address"],
  ])("a recipient that is not a plain address, such as %s, is 400", async (recipient, reason) => {
    const { id } = await mailkeep.receive(mail("Hi"));
    const { status, json } = await release(id, { host: "127.0.0.1", to: ["a@x.test", recipient] });
    expect([status, json.code]).toEqual([400, "invalid_body"]);
    expect(json.error).toContain(reason);
  });

  test("--release-allow: a target that is not listed is 403, before anything is connected", async () => {
    const narrow = await startMailkeep({
      release: { allow: ["localhost:2525", "*.example.com", "127.0.0.2"] },
    });
    const { id } = await narrow.receive(mail("Hi"));
    for (const target of [
      { host: "127.0.0.1", port: 2525 },
      { host: "localhost", port: 25 },
      { host: "example.com" },
      { host: "mail.example.com.evil.test" },
    ]) {
      const answer = await release(id, target, narrow);
      expect(answer).toMatchObject({ status: 403, json: { code: "release_forbidden" } });
    }
    await narrow.stop();
  });
});
