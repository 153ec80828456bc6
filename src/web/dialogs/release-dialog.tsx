// Forwards the opened message to a real SMTP server and shows what that server said.
import { useSignal } from "@preact/signals";
import type { ReleaseReceipt, ReleaseRequest, TlsMode } from "../../model/index.ts";
import { asFailure } from "../api/client.ts";
import { releaseMessage } from "../api/messages.ts";
import { closeDialog } from "../state/layout.ts";
import { mailOf } from "../state/mails.ts";
import { releaseTarget } from "../state/settings.ts";
import { showToast } from "../state/toasts.ts";
import { Dialog } from "./dialog.tsx";

/** Long enough to read what a server said. */
const ANSWER_MS = 15_000;

export function ReleaseDialog({ ids: [id] }: { ids: readonly string[] }) {
  const isSending = useSignal(false);
  const recipients = (id && mailOf(id)?.peek().recipients) || [];
  if (!id) return null;
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const target = readTarget(event.currentTarget as HTMLFormElement, recipients);
    releaseTarget.value = { host: target.host ?? "", port: target.port ?? 25 };
    isSending.value = true;
    // Closing the dialog does not take back a message that is being sent: its outcome is told on the page.
    await releaseMessage(id, target).then(
      (receipt) => showToast({ text: outcomeOf(receipt), tone: "neutral" }, ANSWER_MS),
      (error: unknown) =>
        showToast({ text: `Not released: ${asFailure(error).message}`, tone: "danger" }, ANSWER_MS),
    );
    isSending.value = false;
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
        <div class="row end">
          <button type="submit" class="button button-primary" disabled={isSending.value}>
            {isSending.value ? "Sending …" : "Release"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function outcomeOf({ accepted, rejected, response }: ReleaseReceipt): string {
  const refused = rejected.length > 0 ? `; refused for ${rejected.join(", ")}` : "";
  return `Accepted for ${accepted.join(", ")}${refused}. ${response}`;
}

function readTarget(form: HTMLFormElement, recipients: readonly string[]): ReleaseRequest {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim();
  // With names or without, apart by commas, semicolons or white space.
  const to = text("to").match(/[^\s,;<>"]+@[^\s,;<>"]+/g) ?? [];
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
