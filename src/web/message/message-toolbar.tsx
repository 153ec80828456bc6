// The actions on the opened message.

import type { MessageSummary } from "../../model/index.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { emlUrl } from "../api/messages.ts";
import { openDialog } from "../state/layout.ts";
import { canRelease } from "../state/service.ts";
import { Icon } from "../ui/icon.tsx";

export function MessageToolbar({ mail }: { mail: MessageSummary }) {
  const on = [mail.id];
  return (
    <div class="row message-toolbar" role="toolbar" aria-label="Message actions">
      <ActionButton name="back" class="narrow-only" />
      <ActionButton
        name="star"
        on={on}
        filled={mail.is_starred}
        class={mail.is_starred ? "is-starred" : ""}
        pressed={mail.is_starred}
      />
      <ActionButton name="read" on={on} />
      <ActionButton name="tag" on={on} />
      <ActionButton name="delete" on={on} />
      <span class="grow narrow-only" />
      {canRelease() && (
        <button
          type="button"
          class="button button-quiet"
          title="Release to a real SMTP server (r)"
          onClick={() => openDialog("release", on)}
        >
          <Icon name="send" />
          <span class="button-text">Release</span>
        </button>
      )}
      <a
        class="button button-quiet"
        href={emlUrl(mail.id)}
        download={`${mail.id}.eml`}
        title="Download as EML"
      >
        <Icon name="download" />
        <span class="button-text">Download</span>
      </a>
      <span class="row">
        <ActionButton name="previous" />
        <ActionButton name="next" />
      </span>
    </div>
  );
}
