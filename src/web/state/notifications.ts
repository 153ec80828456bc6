// Desktop notifications for mail that arrives while the page is not looked at.
import type { MessageSummary } from "../../model/index.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { senderName } from "../format/sender.ts";
import { HOME } from "./address.ts";
import { navigate } from "./route.ts";
import { notifications } from "./settings.ts";
import { complain } from "./toasts.ts";

const SINGLE_LIMIT = 3;

export const canNotify = (): boolean => "Notification" in window && window.isSecureContext;

export async function enableNotifications(isWanted: boolean): Promise<void> {
  const permission = isWanted && canNotify() ? await Notification.requestPermission() : "denied";
  notifications.value = permission === "granted" ? "on" : "off";
  if (isWanted && permission !== "granted")
    complain("This browser does not allow notifications for this page");
}

export function announceMail(fresh: readonly MessageSummary[]): void {
  if (
    notifications.peek() === "off" ||
    !document.hidden ||
    !canNotify() ||
    Notification.permission !== "granted"
  )
    return;
  if (fresh.length > SINGLE_LIMIT) {
    show(`${fresh.length} new messages`, "", undefined);
    return;
  }
  for (const summary of fresh) show(senderName(summary), summary.subject || "(no subject)", summary.id);
}

function show(title: string, body: string, id: string | undefined): void {
  const notification = new Notification(nameControls(title), {
    body: nameControls(body),
    icon: `${HOME}favicon.svg`,
    tag: id ?? "mailkeep",
  });
  notification.onclick = () => {
    window.focus();
    notification.close();
    if (id) navigate({ id, tab: undefined });
  };
}
