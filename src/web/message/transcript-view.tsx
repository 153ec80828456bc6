// The tab with the SMTP session that delivered a mail.
import type { Message } from "../../model/index.ts";
import { transcriptOf } from "../state/opened.ts";
import { Session, Waiting } from "../ui/index.ts";

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
