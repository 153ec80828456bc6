// Turns changes of the mail in some or all inboxes into the events that clients get.
import type { InboxEvent } from "../model/index.ts";
import type { MailView, StoreChange } from "../store/index.ts";

/** Returns the function that removes the listener. */
export const onEvent = (
  mail: Pick<MailView, "onChange">,
  listener: (event: InboxEvent) => void,
): (() => void) =>
  mail.onChange((change) => {
    for (const event of eventsOf(change)) listener(event);
  });

function* eventsOf(change: StoreChange): Generator<InboxEvent> {
  switch (change.kind) {
    case "added":
      yield { type: "message:new", data: change.message };
      break;
    case "changed":
      for (const { id, is_read, is_starred, tags } of change.messages) {
        if (change.fields.includes("is_read")) yield { type: "message:read", data: { id, is_read } };
        if (change.fields.includes("is_starred")) yield { type: "message:starred", data: { id, is_starred } };
        if (change.fields.includes("tags")) yield { type: "message:tags", data: { id, tags } };
      }
      break;
    case "deleted":
      for (const id of change.ids) yield { type: "message:delete", data: { id } };
      break;
    case "cleared":
      yield { type: "messages:clear" };
      break;
    case "setting":
  }
}
