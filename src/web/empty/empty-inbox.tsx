// An empty mailbox shows how to send the first mail, and can send one itself.

import { hostAndPort } from "../../lib/hosts.ts";
import { formatSize } from "../../lib/numbers.ts";
import { INBOX, sendMail } from "../api/index.ts";
import { formatMoment } from "../format/time.ts";
import { mayWrite, service, smtpAddress, totalCount } from "../state/service.ts";
import { snippetName } from "../state/settings.ts";
import { attempt } from "../state/toasts.ts";
import { Button, CopyButton, Logo, Segmented } from "../ui/index.ts";
import { type SmtpTarget, SNIPPETS } from "./snippets.ts";

export function EmptyInbox() {
  const target = smtpAddress();
  return (
    <section class="center grow scroll empty-inbox">
      <Logo />
      <h2>{INBOX ? `No mail in ${INBOX} yet` : "Waiting for the first mail"}</h2>
      {target && <HowToSend target={target} />}
      {mayWrite() && (
        <Button
          class="button button-primary"
          icon="send"
          label="Send a sample mail"
          onClick={() => void attempt("Not sent", sendMail(SAMPLE))}
        />
      )}
      <Statistics />
    </section>
  );
}

function HowToSend({ target }: { target: SmtpTarget }) {
  const { code: codeFor, hint } = SNIPPETS[snippetName.value];
  const address = hostAndPort(target.host, target.port);
  const code = codeFor(target).replaceAll("you@", INBOX ? `you+${INBOX}@` : "you@");
  return (
    <>
      {INBOX ? (
        <p>
          Send to <code>{address}</code>, as the SMTP user <code>{INBOX}</code> with its token as the
          password, or without signing in to <code>anything+{INBOX}@example.com</code>.
        </p>
      ) : (
        <p>
          Send anything to <code>{address}</code>, from anyone to anyone. It is kept here
          {!service.value?.relaying && " and goes nowhere else"}. This page shows it the moment it arrives.
        </p>
      )}
      <div class="stack snippets">
        <Segmented name="Tools" options={SNIPPETS} setting={snippetName} />
        <div class="card snippet-code">
          <div class="row spread hint snippet-head">
            <span>{hint}</span>
            <CopyButton text={code} label="Copy" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, by keyboard too */}
          <pre tabIndex={0}>
            <code>{code}</code>
          </pre>
        </div>
      </div>
    </>
  );
}

const SAMPLE_CODE = "482913";

const SAMPLE = {
  from: "Mailkeep <sample@example.com>",
  to: ["you@example.com"],
  subject: "A sample mail",
  text: `Welcome. Your code is ${SAMPLE_CODE}.\nConfirm: https://example.com/confirm?code=${SAMPLE_CODE}\n`,
  html: `<!doctype html><html lang="en"><body style="font-family: sans-serif; padding: 24px">
<h1>Welcome</h1>
<p>Your code is <b>${SAMPLE_CODE}</b>.</p>
<p><a href="https://example.com/confirm?code=${SAMPLE_CODE}">Confirm your address</a></p>
</body></html>`,
};

export function Statistics() {
  if (!service.value) return null;
  const { version, started_at, store } = service.value;
  const count = totalCount.value ?? 0;
  return (
    <p class="hint">
      {count.toLocaleString()} {count === 1 ? "mail" : "mails"}, {formatSize(store.message_bytes)} · running
      since {formatMoment(started_at)} · Mailkeep {version}
    </p>
  );
}
