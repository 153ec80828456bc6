import { expect, test } from "bun:test";
import { join } from "node:path";
import { withSettingsTable } from "../../scripts/readme.ts";

test("the README's settings table says what the binary does (else run: bun scripts/readme.ts)", async () => {
  const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
  expect(readme).toContain("| `--smtp-port <port>` | `MAILKEEP_SMTP_PORT` | 1025 |");
  expect(withSettingsTable(readme)).toBe(readme);
});
