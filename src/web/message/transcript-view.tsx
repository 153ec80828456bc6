// The dialogue of an SMTP session, and the tab that shows it for the session that brought a mail.
import type { Message, Transcript } from "../../model/index.ts";
import { formatClock } from "../format/time.ts";
import { transcriptOf } from "../state/opened.ts";
import { MailText, Table, Waiting } from "../ui/index.ts";

export function TranscriptView({ message }: { message: Message }) {
  const loaded = transcriptOf.of(message.id).value;
  if (loaded.state === "failed" && loaded.failure.code === "no_transcript") {
    return (
      <p class="view-empty">
        There is no transcript: this mail did not come by SMTP, or its session is no longer kept.
      </p>
    );
  }
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return <Session transcript={loaded.value} />;
}

const SPEAKERS = { client: "Client", server: "Mailkeep" };

export function Session({ transcript: { client, tls, lines } }: { transcript: Transcript }) {
  const rows = lines.map(({ at, from, text }) => [
    `${formatClock(at)} ${SPEAKERS[from]}`,
    <MailText key={text} text={text} />,
  ]);
  const caption = `Sent from ${client}, ${tls ? `${tls.version} with ${tls.cipher}` : "without TLS"}`;
  return <Table head={["Time and speaker", "Line"]} caption={caption} rows={rows} />;
}
