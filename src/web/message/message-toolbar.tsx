// What can be done to the opened message.
import type { MessageSummary } from "../../model/index.ts";
import { emlUrl } from "../api/messages.ts";
import { stepFrom } from "../keyboard/shortcuts.ts";
import { markRead, star } from "../state/actions.ts";
import { deleteWithUndo } from "../state/delete.ts";
import { openDialog } from "../state/layout.ts";
import { navigate } from "../state/route.ts";
import { canRelease } from "../state/service.ts";
import { ids } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";

export function MessageToolbar({ mail }: { mail: MessageSummary }) {
  const index = ids.value.indexOf(mail.id);
  const step = (by: 1 | -1) => {
    // At an end the button stays focusable: who keeps pressing it must not lose the place.
    if (index !== -1) stepFrom(mail.id, by);
  };
  return (
    <div class="message-toolbar" role="toolbar" aria-label="Message actions">
      <IconButton
        icon="back"
        label="Back to the list"
        hotkey="Esc"
        class="narrow-only"
        onClick={() => navigate({ id: undefined, tab: undefined })}
      />
      <IconButton
        icon="star"
        label={mail.is_starred ? "Remove star" : "Star"}
        hotkey="s"
        filled={mail.is_starred}
        class={mail.is_starred ? "is-starred" : ""}
        aria-pressed={mail.is_starred}
        onClick={() => void star([mail.id], !mail.is_starred)}
      />
      <IconButton
        icon={mail.is_read ? "unread" : "read"}
        label={mail.is_read ? "Mark as unread" : "Mark as read"}
        hotkey="u"
        onClick={() => void markRead([mail.id], !mail.is_read)}
      />
      <IconButton icon="trash" label="Delete" hotkey="#" onClick={() => deleteWithUndo([mail.id])} />
      <span class="toolbar-gap" />
      {canRelease() && (
        <button
          type="button"
          class="button button-quiet"
          title="Forward to a real SMTP server (r)"
          onClick={() => {
            openDialog.value = "release";
          }}
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
      <span class="toolbar-steps">
        <IconButton
          icon="up"
          label="Previous message"
          hotkey="k"
          aria-disabled={index <= 0}
          onClick={() => step(-1)}
        />
        <IconButton
          icon="down"
          label="Next message"
          hotkey="j"
          aria-disabled={index === -1 || index >= ids.value.length - 1}
          onClick={() => step(1)}
        />
      </span>
    </div>
  );
}
