// What a page that is left still has to delete. Requests that outlive it carry 64 KiB in all: what does not fit
// is kept in the browser and deleted as soon as the page is there again.
import { asFailure } from "../api/client.ts";
import { deleteMessages, deleteOnLeaving, MOST_ON_LEAVING } from "../api/messages.ts";
import { noteSentDelete, releaseDelete } from "./pending-deletes.ts";
import { unsentDeletes } from "./settings.ts";
import { complain } from "./toasts.ts";

export function sendLastDeletes(ids: readonly string[]): void {
  deleteOnLeaving(ids.slice(0, MOST_ON_LEAVING));
  const unsent = ids.slice(MOST_ON_LEAVING);
  if (unsent.length > 0) unsentDeletes.value = [...unsentDeletes.peek(), ...unsent];
}

/** Deletes what an earlier page could not. */
export async function finishDeletes(): Promise<void> {
  const ids = unsentDeletes.peek();
  if (ids.length === 0) return;
  noteSentDelete(ids);
  try {
    await deleteMessages(ids);
  } catch (error) {
    releaseDelete(ids);
    complain(`Not deleted: ${asFailure(error).message}`);
  }
  unsentDeletes.value = [];
}
