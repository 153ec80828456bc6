// What the SMTP server has refused, newest first, each with its reason and its session.
import { useSignal } from "@preact/signals";
import type { Rejection } from "../../model/index.ts";
import { getRejectionTranscript, listRejections, SHOWN_REJECTIONS } from "../api/server.ts";
import { closeDialog } from "../state/layout.ts";
import { MailText } from "../ui/mail-text.tsx";
import { Moment } from "../ui/moment.tsx";
import { Session } from "../ui/session.tsx";
import { useLoaded, Waiting } from "../ui/waiting.tsx";
import { Dialog } from "./dialog.tsx";

export function RejectionsDialog() {
  const loaded = useLoaded(listRejections, () => true);
  const { rejections, total } = loaded.state === "ready" ? loaded.value : { rejections: [], total: 0 };
  return (
    <Dialog title="Refused mail" class="viewer" onClose={closeDialog}>
      <p class="hint">
        Every 4xx and 5xx of the SMTP server, and every dropped connection.
        {total > SHOWN_REJECTIONS && ` The newest ${SHOWN_REJECTIONS} of ${total.toLocaleString()}.`}
      </p>
      {loaded.state !== "ready" && <Waiting loaded={loaded} />}
      {loaded.state === "ready" && total === 0 && <p class="view-empty">Nothing was refused.</p>}
      <ul class="stack">
        {rejections.map((rejection) => (
          <Refused key={rejection.id} rejection={rejection} />
        ))}
      </ul>
    </Dialog>
  );
}

function Refused({ rejection: { id, at, stage, reply, sender, recipients } }: { rejection: Rejection }) {
  const isOpen = useSignal(false);
  return (
    <li class="card">
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>
          <span class="pill pill-bad">{stage}</span> <MailText text={reply || "The connection was dropped"} />{" "}
          <Moment iso={at} />
          <p class="hint">
            <MailText text={sender || "<>"} /> → <MailText text={recipients.join(", ") || "nobody yet"} />
          </p>
        </summary>
        {isOpen.value && <RefusedSession id={id} />}
      </details>
    </li>
  );
}

function RefusedSession({ id }: { id: string }) {
  const loaded = useLoaded((unwanted) => getRejectionTranscript(id, unwanted));
  return loaded.state === "ready" ? <Session transcript={loaded.value} /> : <Waiting loaded={loaded} />;
}
