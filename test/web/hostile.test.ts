// Hostile mails for the page: each is read in linear time.
import { expect, test } from "bun:test";
import { readCalendar } from "../../src/web/format/attachments.ts";
import { readSource } from "../../src/web/format/source.ts";
import { knowsDarkMode, markMatches, soughtBy, splitLinks } from "../../src/web/format/text-parts.ts";
import { cpuMs } from "../support/cpu-time.ts";

const MAIL_CHARS = 200_000;
const MAX_CPU_MS = 1000;
/** The limit for all mails together. */
const TIMEOUT_MS = 60_000;

const LOOKS: Record<string, (mail: string) => unknown> = {
  knowsDarkMode,
  splitLinks,
  readSource,
  readCalendar: (text) => readCalendar(text, 500),
  markMatches: (mail) => markMatches(mail, soughtBy("a subject:s"), "subject"),
};

const MAILS = [
  "color-scheme:\n",
  "color-scheme   ",
  "color-scheme:light ",
  "prefers-color-scheme ",
  "<style \n",
  "<style></style",
  " style=",
  " style='",
  "https://",
  "https://a ",
  ".",
  ")",
  "(",
  ">",
  "> ",
  " ",
  "\n",
  "\r",
  '"',
  "boundary=",
  "BEGIN:VEVENT\n",
  "A;",
  ';"',
  "--",
];

for (const [name, look] of Object.entries(LOOKS)) {
  test(
    `${name} takes less than a second for any hostile mail`,
    () => {
      for (const piece of MAILS) {
        const much = piece.repeat(MAIL_CHARS / piece.length);
        for (const mail of [much, `${much}x`, `https://a/${much}`, `https://a/${much}x`]) {
          const started = cpuMs();
          look(mail);
          expect(cpuMs() - started, JSON.stringify(piece)).toBeLessThan(MAX_CPU_MS);
        }
      }
    },
    TIMEOUT_MS,
  );
}
