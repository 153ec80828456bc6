// Says where Mailkeep listens: one JSON line for programs, a short block for people.
import type { LogFormat } from "../../lib/logger.ts";
import { VERSION } from "../command/version.ts";

export interface ListeningAddresses {
  /** `127.0.0.1:1025`, `[::1]:1025` */
  readonly smtp: string;
  readonly smtps: string | null;
  /** `http://127.0.0.1:8025` */
  readonly http: string;
  /** The addresses of Mailpit's and MailHog's interfaces, if they have their own ports. */
  readonly mailpit?: string;
  readonly mailhog?: string;
  /** Where the web page is: at that address, or below a path of it. */
  readonly page: string;
  /** Other machines can reach it, and it asks for no password. */
  readonly isOpenToOthers: boolean;
  /** Where the mail is kept; null when it is in memory. */
  readonly storedIn: string | null;
}

export interface AnnounceOptions {
  readonly format: LogFormat;
  readonly isStyled: boolean;
  readonly write: (line: string) => void;
}

/** A wildcard address cannot be sent to. */
const BOUND_EVERYWHERE = /^(?:(0\.0\.0\.0)|\[(::)\])(?=:\d+$)/;

const sendTo = (address: string) =>
  address.replace(BOUND_EVERYWHERE, (_, ipv4) => (ipv4 ? "127.0.0.1" : "localhost"));

function boundTo(address: string): string | null {
  const [, ipv4, ipv6] = BOUND_EVERYWHERE.exec(address) ?? [];
  if (ipv4) return `${ipv4}, every IPv4 address of this machine`;
  return ipv6 ? `${ipv6}, every address of this machine` : null;
}

const OPEN_TO_OTHERS = "  Others   on the network can read and delete the mail: --http-auth sets a password";

function block(
  { smtp, smtps, page, mailpit, mailhog, storedIn, isOpenToOthers }: ListeningAddresses,
  isStyled: boolean,
): string {
  const bold = (text: string) => (isStyled ? `\x1b[1m${text}\x1b[0m` : text);
  const everywhere = boundTo(smtp);
  const lines = [
    `${bold("Mailkeep")} ${VERSION} keeps every mail your code sends.`,
    "",
    `  Open     ${bold(page)}`,
    `  Send to  ${bold(sendTo(smtp))} (SMTP)${smtps ? `, ${bold(sendTo(smtps))} (SMTPS)` : ""}`,
    ...(mailpit ? [`  Mailpit  ${bold(mailpit)} (its API)`] : []),
    ...(mailhog ? [`  MailHog  ${bold(mailhog)} (its API)`] : []),
    ...(everywhere === null ? [] : [`  Bound to ${everywhere}`]),
    ...(isOpenToOthers ? [OPEN_TO_OTHERS] : []),
    `  Stored   ${storedIn ?? "in memory, gone when Mailkeep stops"}`,
    "",
    "  Ctrl+C stops it.",
  ];
  return `\n${lines.map((line) => `  ${line}`.trimEnd()).join("\n")}\n`;
}

export function announceReady(addresses: ListeningAddresses, options: AnnounceOptions): void {
  const { smtp, smtps, http, mailpit, mailhog } = addresses;
  const { format, isStyled, write } = options;
  if (format === "json")
    write(
      JSON.stringify({
        event: "ready",
        smtp,
        http,
        ...(smtps && { smtps }),
        mailpit,
        mailhog,
        version: VERSION,
      }),
    );
  else write(block(addresses, isStyled));
}
