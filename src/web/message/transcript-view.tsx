// What was said in an SMTP session.
import type { Message, Transcript } from "../../model/index.ts";
import { formatClock } from "../format/time.ts";
import { transcriptOf } from "../state/opened.ts";
import { CopyButton, MailText, Table, Waiting } from "../ui/index.ts";

export function TranscriptTools({ message }: { message: Message }) {
  const loaded = transcriptOf.of(message.id).value;
  if (loaded.state !== "ready") return null;
  const lines = loaded.value.lines.map(({ at, from, text }) => `${at} ${SPEAKERS[from]}: ${text}`);
  return <CopyButton text={lines.join("\n")} label="Copy transcript" />;
}

export function TranscriptView({ message }: { message: Message }) {
  const loaded = transcriptOf.of(message.id).value;
  if (loaded.state === "failed" && loaded.failure.code === "no_transcript") {
    return (
      <p class="view-empty">
        There is no transcript: this mail did not come by SMTP, or its session is no longer kept. Mailkeep
        keeps the sessions of the last 1,000 mails until it is stopped.
      </p>
    );
  }
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  return <Session transcript={loaded.value} />;
}

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
