// What was said in an SMTP session.
import type { Transcript } from "../../model/index.ts";
import { formatClock } from "../format/time.ts";
import { Table } from "./form.tsx";
import { MailText } from "./mail-text.tsx";

export const SPEAKERS = { client: "Client", server: "Mailkeep" };

export function Session({ transcript: { client, tls, lines } }: { transcript: Transcript }) {
  const rows = inTurns(lines).map(({ at, from, text }) => [
    `${formatClock(at)} ${SPEAKERS[from]}`,
    <MailText key={text} text={text} />,
  ]);
  const caption = `Sent from ${client}, ${tls ? `${tls.version} with ${tls.cipher}` : "without TLS"}`;
  return <Table head={["Time and speaker", "Line"]} caption={caption} rows={rows} />;
}

/** Lines that one side sent at once, such as the reply to EHLO, are shown together. */
function inTurns(lines: Transcript["lines"]): Transcript["lines"] {
  const turns: Transcript["lines"] = [];
  for (const line of lines) {
    const last = turns.at(-1);
    if (last && last.from === line.from && last.at === line.at) last.text += `\n${line.text}`;
    else turns.push({ ...line });
  }
  return turns;
}
