// The dialogue of an SMTP session.
import type { Transcript } from "../../model/index.ts";
import { formatClock } from "../format/time.ts";
import { Table } from "./form.tsx";
import { MailText } from "./mail-text.tsx";

const SPEAKERS = { client: "Client", server: "Mailkeep" };

export function Session({ transcript: { client, tls, lines } }: { transcript: Transcript }) {
  const rows = lines.map(({ at, from, text }) => [
    `${formatClock(at)} ${SPEAKERS[from]}`,
    <MailText key={text} text={text} />,
  ]);
  const caption = `Sent from ${client}, ${tls ? `${tls.version} with ${tls.cipher}` : "without TLS"}`;
  return <Table head={["Time and speaker", "Line"]} caption={caption} rows={rows} />;
}
