// Says where Mailkeep listens: one JSON line for programs, a short block for people.
import type { LogFormat } from "../lib/logger.ts";
import { VERSION } from "./version.ts";

export interface ListeningAddresses {
  /** `127.0.0.1:1025`, `[::1]:1025` */
  readonly smtp: string;
  readonly smtps: string | null;
  /** `http://127.0.0.1:8025` */
  readonly http: string;
  /** Where the mail is kept; null when it is in memory. */
  readonly dataDir: string | null;
}

export interface AnnounceOptions {
  readonly format: LogFormat;
  readonly isStyled: boolean;
  readonly write: (line: string) => void;
}

function block({ smtp, smtps, http, dataDir }: ListeningAddresses, isStyled: boolean): string {
  const bold = (text: string) => (isStyled ? `\x1b[1m${text}\x1b[0m` : text);
  const lines = [
    `${bold("Mailkeep")} ${VERSION} keeps every mail your code sends.`,
    "",
    `  Open     ${bold(http)}`,
    `  Send to  ${bold(smtp)} (SMTP)${smtps ? `, ${bold(smtps)} (SMTPS)` : ""}`,
    `  Stored   ${dataDir ?? "in memory, gone when Mailkeep stops"}`,
    "",
    "  Ctrl+C stops it.",
  ];
  return `\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
}

export function announceReady(
  addresses: ListeningAddresses,
  { format, isStyled, write }: AnnounceOptions,
): void {
  const { smtp, smtps, http } = addresses;
  if (format === "json")
    write(JSON.stringify({ event: "ready", smtp, http, ...(smtps && { smtps }), version: VERSION }));
  else write(block(addresses, isStyled));
}
