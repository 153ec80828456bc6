// How to send the first mail with the tools that people use.
import { bracketed, hostAndPort } from "../../lib/hosts.ts";
import type { snippetName } from "../state/settings.ts";

export interface SmtpTarget {
  /** An IPv6 address has no brackets here. They are added only for curl's URL and for PHP. */
  readonly host: string;
  readonly port: number;
}

export interface Snippet {
  readonly label?: string;
  readonly hint: string;
  readonly code: (target: SmtpTarget) => string;
}

/** Some shells read unquoted brackets as a pattern. */
const shellWord = (word: string) => (word.includes("[") ? `"${word}"` : word);

export const SNIPPETS: Record<typeof snippetName.value, Snippet> = {
  curl: {
    hint: "in a shell",
    code: ({
      host,
      port,
    }) => `printf 'From: me@example.com\\r\\nTo: you@example.com\\r\\nSubject: Hello\\r\\n\\r\\nIt works.\\r\\n' |
  curl ${shellWord(`smtp://${hostAndPort(host, port)}`)} --mail-from me@example.com --mail-rcpt you@example.com -T -`,
  },
  Nodemailer: {
    hint: "JavaScript",
    code: ({ host, port }) => `import nodemailer from "nodemailer";

const transport = nodemailer.createTransport({ host: "${host}", port: ${port}, secure: false });
await transport.sendMail({
  from: "me@example.com",
  to: "you@example.com",
  subject: "Hello",
  text: "It works.",
});`,
  },
  Django: {
    hint: "settings.py",
    code: ({ host, port }) => `EMAIL_HOST = "${host}"
EMAIL_PORT = ${port}`,
  },
  Rails: {
    hint: "config/environments/development.rb",
    code: ({ host, port }) => `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = { address: "${host}", port: ${port} }`,
  },
  Laravel: {
    hint: ".env",
    code: ({ host, port }) => `MAIL_MAILER=smtp
MAIL_HOST=${bracketed(host)}
MAIL_PORT=${port}`,
  },
};
