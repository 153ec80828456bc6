// The tab with the SMTP session that brought a mail.
import type { Message } from "../../model/index.ts";
import { transcriptOf } from "../state/opened.ts";
import { CopyButton, Session, SPEAKERS, Waiting } from "../ui/index.ts";

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
