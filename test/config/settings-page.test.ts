import { expect, test } from "bun:test";
import { join } from "node:path";
import { withSettings } from "../../scripts/settings-page.ts";

test("docs/settings.md says what the binary does (else run: bun scripts/settings-page.ts)", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../docs/settings.md")).text();
  expect(page).toContain("| `--smtp-port <port>` | `MAILKEEP_SMTP_PORT` | 1025 |");
  expect(withSettings(page)).toBe(page);
});
