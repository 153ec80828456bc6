import { expect, test } from "bun:test";
import { isLoopback } from "../../src/cli/command/hosts.ts";
import { announcement } from "../../src/cli/commands/serve.ts";

function announced(smtp: string, smtps: string | null, format: "text" | "json" = "text"): string {
  const [http, page] = ["http://localhost:8025", "http://localhost:8025"];
  const isOpenToOthers = smtp.startsWith("0.");
  return announcement({ smtp, smtps, http, page, storedIn: null, isOpenToOthers }, format, false);
}

test.each([
  ["127.0.0.1:1025", null, "127.0.0.1:1025 (SMTP)"],
  ["[::1]:1025", "[::1]:465", "[::1]:1025 (SMTP), [::1]:465 (SMTPS)"],
  ["0.0.0.0:1025", "0.0.0.0:465", "127.0.0.1:1025 (SMTP), 127.0.0.1:465 (SMTPS)"],
  ["[::]:1025", null, "localhost:1025 (SMTP)"],
])("a server on all interfaces shows an address to which mail can be sent: %p", (smtp, smtps, sendTo) => {
  expect(announced(smtp, smtps)).toContain(`Send to  ${sendTo}\n`);
});

test("programs get the bound address", () => {
  expect(JSON.parse(announced("0.0.0.0:1025", null, "json"))).toMatchObject({
    event: "ready",
    smtp: "0.0.0.0:1025",
  });
});

test("a person is told when others can read the mail", () => {
  expect(announced("0.0.0.0:1025", null)).toContain("can read and delete the mail; --http-auth sets a");
  expect(announced("127.0.0.1:1025", null)).not.toContain("can read");
});

test.each([
  ["127.0.0.1", true],
  ["127.0.0.2", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.2", false],
])("only this machine can connect to %s: %p", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
