import { expect, test } from "bun:test";
import { isLocalHost } from "../../src/checks/hosts.ts";

test.each([
  ["https://localhost/", true],
  ["https://app.localhost./", true],
  ["https://printer.LOCAL/", true],
  ["https://web:3000/", true],
  ["https://localhost.localdomain/", true],
  ["https://nas.home.arpa/", true],
  ["https://127.1/", true],
  ["https://2130706433/", true],
  ["https://0.0.0.0/", true],
  ["https://10.1.2.3/", true],
  ["https://172.31.0.1/", true],
  ["https://169.254.1.1/", true],
  ["https://[::1]/", true],
  ["https://[::]/", true],
  ["https://[::ffff:127.0.0.1]/", true],
  ["https://[::ffff:192.168.0.4]/", true],
  ["https://[fd00::1]/", true],
  ["https://[fe80::1]/", true],
  ["https://localhostel.example.com/", false],
  ["https://mylocalhost.example.com/", false],
  ["https://local.example.com/", false],
  ["https://shop.latest/", false],
  ["https://10.example.com/", false],
  ["https://127.example.org/", false],
  ["https://172.32.0.1/", false],
  ["https://[::ffff:8.8.8.8]/", false],
  ["https://[2001:db8::1]/", false],
  ["https://[::1:2]/", false],
  ["https://[fc::1]/", false],
])("a host is local by its whole name or address, not by its start: %p, %p", (address, isLocal) => {
  expect(isLocalHost(new URL(address).hostname)).toBe(isLocal);
});
