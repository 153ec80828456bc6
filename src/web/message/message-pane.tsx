// The right side: the opened message, or why there is none.

import { useEffect } from "preact/hooks";
import type { MessageSummary } from "../../model/index.ts";
import { ActionButton, StarButton } from "../actions/action-button.tsx";
import { type ApiFailure, emlUrl } from "../api/index.ts";
import { Statistics } from "../empty/empty-inbox.tsx";
import { markRead } from "../state/changes.ts";
import { mailOf } from "../state/mails.ts";
import { fullMessage, isGone } from "../state/opened.ts";
import { tryNow } from "../state/requests.ts";
import { closeMail, openedId } from "../state/route.ts";
import { mayWrite } from "../state/service.ts";
import { readOnOpen } from "../state/settings.ts";
import { Button, Download, failureText, Icon, Logo } from "../ui/index.ts";
import { MessageBody } from "./message-body.tsx";
import { MessageHead } from "./message-head.tsx";

export function MessagePane() {
  const id = openedId.value;
  return (
    <article class="column grow message-pane" aria-label="Mail">
      {id ? <OpenedMessage id={id} /> : <NothingOpened />}
    </article>
  );
}

function OpenedMessage({ id }: { id: string }) {
  const loaded = fullMessage.of(id).value;
  const summary = mailOf(id)?.value ?? (loaded.state === "ready" ? loaded.value : undefined);
  useReadOnOpen(id, loaded.state === "ready");
  if (isGone(id)) return <Gone />;
  if (loaded.state === "failed") {
    return loaded.failure.status === 404 ? <Gone /> : <NotLoaded failure={loaded.failure} />;
  }
  if (!summary) return <div class="skeleton" role="status" aria-label="Loading the mail" />;
  return (
    <>
      <div class="fixed scroll message-top">
        {/* The same toolbar stays for the next message: a pressed button keeps the focus. */}
        <MessageToolbar mail={summary} />
        <MessageHead key={`head-${id}`} mail={summary} />
      </div>
      {loaded.state === "ready" ? (
        <MessageBody key={`body-${id}`} message={loaded.value} />
      ) : (
        <div class="grow" role="status" aria-label="Loading the mail" />
      )}
    </>
  );
}

/** Marks a message as read once, when it is opened: the user may mark it as unread again. */
function useReadOnOpen(id: string, isThere: boolean): void {
  useEffect(() => {
    if (isThere && mayWrite() && readOnOpen.peek() === "on" && mailOf(id)?.peek().is_read === false)
      void markRead([id], true);
  }, [id, isThere]);
}

function NothingOpened() {
  return (
    <div class="center grow scroll notice">
      <Logo />
      <p>Select a mail to read it</p>
      <Statistics />
      <p class="hint">? shows all keys</p>
    </div>
  );
}

function Gone() {
  return (
    <div class="center grow scroll notice" role="status">
      <Icon name="trash" />
      <h2>This mail no longer exists</h2>
      <p>Someone or a test run deleted it, or it was too old.</p>
      <Button label="Back to the list" onClick={closeMail} />
    </div>
  );
}

function NotLoaded({ failure }: { failure: ApiFailure }) {
  return (
    <div class="center grow scroll notice" role="alert">
      <Icon name="offline" />
      <h2>The mail could not be loaded</h2>
      <p>{failureText(failure)}</p>
      <Button label="Try again" onClick={tryNow} />
      <Button class="link-button" label="Back to the list" onClick={closeMail} />
    </div>
  );
}

function MessageToolbar({ mail }: { mail: MessageSummary }) {
  const on = [mail.id];
  return (
    <div class="row message-toolbar" role="toolbar" aria-label="Mail actions">
      <ActionButton name="back" class="narrow-only" />
      <StarButton mail={mail} />
      <ActionButton name="read" on={on} />
      <ActionButton name="tag" on={on} />
      <ActionButton name="delete" on={on} />
      <span class="grow narrow-only" />
      <ActionButton name="release" on={on} />
      <Download href={emlUrl(mail.id)} name={`${mail.id}.eml`} label="Download as EML" />
      <ActionButton name="previous" />
      <ActionButton name="next" />
    </div>
  );
}
