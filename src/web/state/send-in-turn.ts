// The order of changes on their way to the server: two of the same field of a message must arrive as they were made,
// also on connections of their own.
import type { MessageChange } from "../../model/index.ts";
import { holdEchoes } from "./echoes.ts";
import { fieldKey } from "./field-key.ts";

const last = new Map<string, Promise<unknown>>();

/** Sends a change after those before it, at once where there are none. */
export async function sendInTurn<T>(
  ids: readonly string[],
  field: keyof MessageChange,
  send: () => Promise<T>,
): Promise<T> {
  const letGo = holdEchoes(ids, field);
  const keys = ids.map((id) => fieldKey(id, field));
  const earlier = new Set(keys.flatMap((key) => last.get(key) ?? []));
  const sent = earlier.size === 0 ? send() : Promise.all(earlier).then(send);
  const decided = sent.catch(() => undefined);
  for (const key of keys) last.set(key, decided);
  try {
    return await sent;
  } finally {
    for (const key of keys) if (last.get(key) === decided) last.delete(key);
    letGo();
  }
}
