// Marks a message as read once when it was opened and is there; unread again is then a person's wish.
import { useEffect, useLayoutEffect } from "preact/hooks";
import { markRead } from "../state/actions.ts";
import { isReadDecided } from "../state/opened.ts";
import { rowOf } from "../state/rows.ts";
import { cursor } from "../state/selection.ts";
import { readOnOpen } from "../state/settings.ts";

export function useReadOnOpen(id: string, isThere: boolean): void {
  // Not a moment later: by then a key may have moved it on.
  useLayoutEffect(() => {
    cursor.value = id;
  }, [id]);
  useEffect(() => {
    if (!isThere || !readOnOpen.peek() || isReadDecided(id)) return;
    if (rowOf(id)?.peek().is_read === false) void markRead([id], true);
  }, [id, isThere]);
}
