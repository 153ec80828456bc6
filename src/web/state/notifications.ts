// Announces mail: the page's title counts unread mail, a hidden page shows desktop notifications.

import { effect } from "@preact/signals";
import type { MessageSummary } from "../../model/index.ts";
import { HOME, INBOX } from "../api/index.ts";
import { nameControls } from "../format/text-parts.ts";
import { senderName } from "../format/time.ts";
import { mailOf } from "./mails.ts";
import { isGone } from "./opened.ts";
import { navigate, openedId } from "./route.ts";
import { unreadCount } from "./service.ts";
import { notifications } from "./settings.ts";
import { complain } from "./toasts.ts";

export const canNotify = (): boolean => "Notification" in window && window.isSecureContext;

effect(() => {
  if (notifications.value === "on") void askPermission();
});

async function askPermission(): Promise<void> {
  const permission = canNotify() ? await Notification.requestPermission() : "denied";
  if (permission === "granted") return;
  notifications.value = "off";
  complain("This browser does not allow notifications for this page");
}

export function announceMail(fresh: readonly MessageSummary[]): void {
  const [first] = fresh;
  if (notifications.peek() === "off" || !document.hidden || !first || !canNotify()) return;
  const title = fresh.length === 1 ? senderName(first) : `${fresh.length} new mails`;
  const notification = new Notification(nameControls(title), {
    body: nameControls(first.subject || "(no subject)"),
    icon: `${HOME}favicon.svg`,
    tag: "mailkeep",
  });
  notification.onclick = () => {
    window.focus();
    notification.close();
    navigate({ id: first.id, tab: undefined });
  };
}

export function showUnreadInTitle(): void {
  effect(() => {
    const unread = unreadCount.value;
    const id = openedId.value;
    const subject = id && !isGone(id) ? mailOf(id)?.value.subject : "";
    const place = [subject && nameControls(subject), INBOX, "Mailkeep"].filter(Boolean).join(" · ");
    document.title = unread > 0 ? `(${unread}) ${place}` : place;
  });
}
