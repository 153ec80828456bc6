// The window's title and icon tell how much is unread.
import { computed, effect } from "@preact/signals";
import { INBOX } from "../api/client.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { favicon } from "../format/favicon.ts";
import { mailOf } from "./mails.ts";
import { isGone } from "./opened.ts";
import { openedId } from "./route.ts";
import { unreadCount } from "./service.ts";

const hasUnread = computed(() => unreadCount.value > 0);

export function showUnreadInTitle(): void {
  effect(() => {
    const unread = unreadCount.value;
    const id = openedId.value;
    const subject = id && !isGone(id) ? mailOf(id)?.value.subject : "";
    const place = [subject && nameControls(subject), INBOX, "Mailkeep"].filter(Boolean).join(" · ");
    document.title = unread > 0 ? `(${unread}) ${place}` : place;
  });
  effect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link) link.href = `data:image/svg+xml,${encodeURIComponent(favicon(hasUnread.value))}`;
  });
}
