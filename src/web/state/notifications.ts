// Desktop notifications for mail that arrives while the page is not looked at.
import type { MessageSummary } from "../../model/index.ts";
import { HOME } from "../api/address.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { senderName } from "../format/sender.ts";
import { navigate } from "./route.ts";
import { notifications } from "./settings.ts";
import { complain } from "./toasts.ts";

export const canNotify = (): boolean => "Notification" in window && window.isSecureContext;

export async function enableNotifications(isWanted: boolean): Promise<void> {
  const permission = isWanted && canNotify() ? await Notification.requestPermission() : "denied";
  notifications.value = permission === "granted" ? "on" : "off";
  if (isWanted && permission !== "granted")
    complain("This browser does not allow notifications for this page");
}

export function announceMail(fresh: readonly MessageSummary[]): void {
  const [first] = fresh;
  if (notifications.peek() === "off" || !document.hidden || !first || !canNotify()) return;
  const title = fresh.length === 1 ? senderName(first) : `${fresh.length} new messages`;
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
