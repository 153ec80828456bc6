// Forwards the opened message to a real SMTP server and shows what that server said.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ReleaseReceipt, ReleaseRequest, TlsMode } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import { releaseMessage } from "../api/messages.ts";
import { closeDialog } from "../state/layout.ts";
import { mailOf } from "../state/mails.ts";
import { releaseTarget } from "../state/settings.ts";
import { complain, tell } from "../state/toasts.ts";
import { readAddresses } from "./addresses.ts";
import { Dialog } from "./dialog.tsx";

type Answered = { receipt: ReleaseReceipt } | { complaint: string };
type Outcome = Answered | "sending" | undefined;

export function ReleaseDialog({ ids: [id] }: { ids: readonly string[] }) {
  const outcome = useSignal<Outcome>(undefined);
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  const recipients = (id && mailOf(id)?.peek().recipients) || [];
  if (!id) return null;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const target = readTarget(event.currentTarget as HTMLFormElement, recipients);
    releaseTarget.value = { host: target.host ?? "", port: target.port ?? 25 };
    outcome.value = "sending";
    const answered = await releaseMessage(id, target).then(
      (receipt): Answered => ({ receipt }),
      (error: unknown): Answered => ({ complaint: asFailure(error).message }),
    );
    if (isClosed.current) tellOf(answered);
    else outcome.value = answered;
  };
  return (
    <Dialog title="Release to a real server" onClose={closeDialog}>
      <p class="hint">Sends the stored bytes unchanged. The message stays here.</p>
      <form class="stack" onSubmit={(event) => void send(event)}>
        <div class="row wrap">
          <label class="field field-grow">
            Host
            <input
              class="input"
              name="host"
              autofocus
              required
              defaultValue={releaseTarget.peek().host}
              placeholder="smtp.example.com"
            />
          </label>
          <label class="field">
            Port
            <input
              class="input"
              name="port"
              type="number"
              min={1}
              max={65535}
              required
              defaultValue={releaseTarget.peek().port}
            />
          </label>
          <label class="field">
            Encryption
            <select class="input" name="tls">
              <option value="">Automatic</option>
              <option value="starttls">STARTTLS</option>
              <option value="implicit">TLS</option>
              <option value="none">None</option>
            </select>
          </label>
        </div>
        <label class="field">
          Recipients
          <textarea class="input" name="to" rows={2} required>
            {recipients.join(", ")}
          </textarea>
        </label>
        <details>
          <summary>Sign in to the server</summary>
          <div class="row wrap">
            <label class="field field-grow">
              User name
              <input class="input" name="username" autocomplete="off" />
            </label>
            <label class="field field-grow">
              Password
              <input class="input" name="password" type="password" autocomplete="off" />
            </label>
          </div>
        </details>
        <Answer outcome={outcome.value} />
        <div class="row end">
          <button type="submit" class="button button-primary" disabled={outcome.value === "sending"}>
            {outcome.value === "sending" ? "Sending …" : "Release"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Closing the dialog does not take back a message that is being sent. */
function tellOf(answered: Answered): void {
  if ("complaint" in answered) {
    complain(`Not released: ${answered.complaint}`);
    return;
  }
  const { accepted, rejected } = answered.receipt;
  tell(`Released to ${accepted.length} of ${accepted.length + rejected.length} recipients`);
}

function Answer({ outcome }: { outcome: Outcome }) {
  if (!outcome || outcome === "sending") return null;
  if ("complaint" in outcome) {
    return (
      <p class="answer answer-bad" role="alert">
        {outcome.complaint}
      </p>
    );
  }
  const { accepted, rejected, response } = outcome.receipt;
  return (
    <div class="answer answer-good" role="status">
      <p>
        Accepted for {accepted.join(", ")}
        {rejected.length > 0 && <>; refused for {rejected.join(", ")}</>}
      </p>
      <code>{response}</code>
    </div>
  );
}

function readTarget(form: HTMLFormElement, recipients: readonly string[]): ReleaseRequest {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const to = readAddresses(text("to"));
  const isChanged = to.join() !== recipients.join();
  const username = text("username");
  return {
    host: text("host"),
    port: Number(text("port")),
    ...(isChanged && { to }),
    ...(text("tls") !== "" && { tls: text("tls") as TlsMode }),
    ...(username !== "" && { username, password: String(data.get("password") ?? "") }),
  };
}
