import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createCredentials, parseCredential, parseHtpasswd } from "../../src/smtp/index.ts";
import { RawClient } from "./raw-client.ts";
import { startTestServer } from "./test-server.ts";

const BCRYPT_SECRET = await Bun.password.hash("secret", { algorithm: "bcrypt", cost: 4 });
const password = (user: string, word: string) => ({ kind: "password", user, password: word }) as const;

describe("user:password", () => {
  test("the password may contain colons and anything else", () => {
    expect(parseCredential("alice:a:b c$")).toEqual({ user: "alice", kind: "plain", password: "a:b c$" });
  });

  test.each([
    ["alice", "there is no colon"],
    ["", "there is no colon"],
    [":secret", "the user is empty"],
    ["alice:", "the password is empty"],
  ])("%p is refused", (text, reason) => {
    expect(() => parseCredential(text)).toThrow(reason);
  });
});

describe("htpasswd", () => {
  test("bcrypt and plain lines, comments and blank lines", () => {
    const hash = BCRYPT_SECRET.replace("$2b$", "$2y$");
    const text = `# staff\r\nalice:${hash}\r\n\r\nbob:plain:text\n`;
    expect(parseHtpasswd(text)).toEqual([
      { user: "alice", kind: "bcrypt", hash: BCRYPT_SECRET },
      { user: "bob", kind: "plain", password: "plain:text" },
    ]);
  });

  test.each([
    ["a:x\nalice", "line 2: expected user:password, but there is no colon"],
    ["alice:$apr1$abc$def", 'line 1: the hash of "alice" is not bcrypt'],
    ["alice:{SHA}abc=", 'line 1: the hash of "alice" is not bcrypt'],
    ["alice:$2y$99$short", 'line 1: the bcrypt hash of "alice" is not valid'],
    // The last letter of salt or digest has unused bits, and Bun throws if they are set.
    [
      "alice:$2b$04$abcdefghijklmnopqrstuvNt.0ah97gHY3F7JC1Z6EXmQc0bQBhIO",
      'line 1: the bcrypt hash of "alice" is not valid',
    ],
    [
      "alice:$2b$04$abcdefghijklmnopqrstuuNt.0ah97gHY3F7JC1Z6EXmQc0bQBhIP",
      'line 1: the bcrypt hash of "alice" is not valid',
    ],
    ["# nobody\n", "the file has no users"],
  ])("%p is refused", (text, reason) => {
    expect(() => parseHtpasswd(text)).toThrow(reason);
  });
});

describe("verification", () => {
  const credentials = createCredentials([
    { user: "alice", kind: "bcrypt", hash: BCRYPT_SECRET },
    { user: "bob", kind: "plain", password: "plain" },
  ]);

  test.each([
    ["alice", "secret", true],
    ["alice", "wrong", false],
    ["alice", "", false],
    ["alice", BCRYPT_SECRET, false],
    ["bob", "plain", true],
    ["bob", "secret", false],
    ["carol", "secret", false],
    ["", "", false],
  ])("%p with %p: %p", async (user, word, accepted) => {
    expect(await credentials.verify(password(user, word))).toBe(accepted);
  });

  // crypt(3) made these hashes. Like htpasswd -B, it ignores all bytes after the 72nd.
  test.each([
    ["p".repeat(73), "$2b$04$abcdefghijklmnopqrstuuNt.0ah97gHY3F7JC1Z6EXmQc0bQBhIO"],
    [`${"p".repeat(71)}é`, "$2y$04$abcdefghijklmnopqrstuujoFcYfWxT3TLcbxrGFB.ouXE8mxin3i"],
    ["é".repeat(40), "$2b$04$abcdefghijklmnopqrstuuKiIlCeXB6chNXkLyAo8C7XcLPzh6zUe"],
  ])("bcrypt looks at 72 bytes of a longer password: %p", async (word, hash) => {
    const hashed = createCredentials(parseHtpasswd(`alice:${hash}`));
    expect(await hashed.verify(password("alice", word))).toBe(true);
    expect(await hashed.verify(password("alice", `x${word.slice(1)}`))).toBe(false);
  });

  test("CRAM-MD5 needs plain passwords, and verifies logins with them", async () => {
    const challenge = "<1@mailkeep.test>";
    const plain = createCredentials([{ user: "bob", kind: "plain", password: "plain" }]);
    const attempt = (user: string, word: string) => {
      const digest = createHmac("md5", word).update(challenge).digest("hex");
      return plain.verify({ kind: "cram-md5", user, challenge, digest });
    };
    expect(credentials.supportsCramMd5).toBe(false);
    expect(plain.supportsCramMd5).toBe(true);
    expect(await attempt("bob", "plain")).toBe(true);
    expect(await attempt("bob", "wrong")).toBe(false);
    expect(await attempt("carol", "plain")).toBe(false);
  });
});

test("a server with credentials refuses wrong ones and, where required, mail without", async () => {
  const verify = createCredentials([parseCredential("alice:secret")]);
  await using running = await startTestServer({ auth: { required: true, verify } });
  using client = await RawClient.greeted(running.server.port);
  const plain = (user: string, word: string) =>
    client.command(`AUTH PLAIN ${Buffer.from(`\0${user}\0${word}`).toString("base64")}`);
  await client.command("EHLO client.example");
  expect(await client.command("MAIL FROM:<a@b.example>")).toBe("530 5.7.0 Authentication required");
  expect(await plain("alice", "wrong")).toBe("535 5.7.8 Authentication failed");
  expect(await plain("alice", "secret")).toBe("235 2.7.0 Authentication succeeded");
  expect(await client.command("MAIL FROM:<a@b.example>")).toStartWith("250");
});

test("five wrong passwords are answered at once, and the sixth waits a second", async () => {
  const verify = createCredentials([parseCredential("alice:secret")]);
  await using running = await startTestServer({ auth: { required: true, verify } });
  using client = await RawClient.greeted(running.server.port);
  await client.command("EHLO client.example");
  const wrong = () => client.command(`AUTH PLAIN ${btoa("\0alice\0wrong")}`);
  for (let count = 0; count < 5; count++) await wrong();
  const begun = performance.now();
  expect(await wrong()).toBe("535 5.7.8 Authentication failed");
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(await client.command(`AUTH PLAIN ${btoa("\0alice\0secret")}`)).toStartWith("235");
});
