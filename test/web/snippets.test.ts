// The example code that sends a first mail, for every kind of host.
import { expect, test } from "bun:test";
import { hostAndPort, unbracketed } from "../../src/lib/hosts.ts";
import { SNIPPETS } from "../../src/web/empty/snippets.ts";

const HOSTS: Record<string, string[]> = {
  curl: ["smtp://mail.test:1025 ", "smtp://127.0.0.1:1025 ", '"smtp://[::1]:1025" '],
  Nodemailer: ['host: "mail.test", port: 1025', 'host: "127.0.0.1", port: 1025', 'host: "::1", port: 1025'],
  Django: ['EMAIL_HOST = "mail.test"', 'EMAIL_HOST = "127.0.0.1"', 'EMAIL_HOST = "::1"'],
  Rails: ['address: "mail.test"', 'address: "127.0.0.1"', 'address: "::1"'],
  Laravel: ["MAIL_HOST=mail.test\n", "MAIL_HOST=127.0.0.1\n", "MAIL_HOST=[::1]\n"],
};

for (const [name, { code }] of Object.entries(SNIPPETS)) {
  test(`${name} gets an IPv6 address in brackets only where it needs them`, () => {
    const [named, v4, v6] = HOSTS[name] ?? [];
    expect(code({ host: "mail.test", port: 1025 })).toContain(`${named}`);
    expect(code({ host: "127.0.0.1", port: 1025 })).toContain(`${v4}`);
    expect(code({ host: "::1", port: 1025 })).toContain(`${v6}`);
  });
}

test("the brackets of an IPv6 host in the page's address are neither lost nor doubled", () => {
  expect(["[::1]", "::1", "mail.test"].map(unbracketed)).toEqual(["::1", "::1", "mail.test"]);
  expect(hostAndPort(unbracketed("[::1]"), 1025)).toBe("[::1]:1025");
});
