// Changes of tags on their way to the server. A change names all tags of a message, so two of them must arrive in
// their order, and the echo of the first must not undo the second here: the next one would start from it.
import { followChanges } from "./membership.ts";
import { patchRow, type RowChange } from "./rows.ts";

/** Events may come this much later than the answer. */
const ECHO_MS = 1000;

const underWay = new Map<string, number>();
/** What the server last said of messages that are being changed. */
const held = new Map<string, string[]>();
let last: Promise<unknown> = Promise.resolve();

/** Sends a change after those before it. */
export async function sendInTurn<T>(ids: readonly string[], send: () => Promise<T>): Promise<T> {
  for (const id of ids) underWay.set(id, (underWay.get(id) ?? 0) + 1);
  const sent = last.then(send);
  last = sent.catch(() => {});
  try {
    return await sent;
  } finally {
    setTimeout(() => ids.forEach(settle), ECHO_MS);
  }
}

/** Takes what the server says of a message's tags; applied at once unless they are being changed here. */
export function hearTags(id: string, tags: string[]): RowChange | undefined {
  if (!underWay.has(id)) return patchRow(id, { tags });
  held.set(id, tags);
  return undefined;
}

function settle(id: string): void {
  const others = (underWay.get(id) ?? 1) - 1;
  if (others > 0) {
    underWay.set(id, others);
    return;
  }
  underWay.delete(id);
  const tags = held.get(id);
  held.delete(id);
  if (tags) followChanges(new Map([[id, patchRow(id, { tags })]]));
}
