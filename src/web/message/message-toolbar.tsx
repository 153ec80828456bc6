// The actions on the opened message.
import type { MessageSummary } from "../../model/index.ts";
import { ActionButton } from "../actions/action-button.tsx";
import { emlUrl } from "../api/messages.ts";
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
      <ActionButton name="release" on={on} />
      <a
        class="icon-button"
        href={emlUrl(mail.id)}
        download={`${mail.id}.eml`}
        aria-label="Download"
        title="Download as EML"
      >
        <Icon name="download" />
      </a>
      <ActionButton name="previous" />
      <ActionButton name="next" />
    </div>
  );
}
