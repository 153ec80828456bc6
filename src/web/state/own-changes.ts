// Changes on their way to the server. Two of the same field of a message must arrive in their order, also on connections
// of their own, and the echo of the first must not undo the second here: the next one would start from it.
import type { MessageChange, MessageSummary } from "../../model/index.ts";
import { followChanges } from "./membership.ts";
import { patchRow, type RowChange } from "./rows.ts";

/** Events may come this much later than the answer. */
const ECHO_MS = 1000;

const last = new Map<string, Promise<unknown>>();
const underWay = new Map<string, number>();
/** What the server last said of what is being changed. */
const held = new Map<string, Partial<MessageSummary>>();

const keyOf = (id: string, field: string) => `${field} ${id}`;

/** Sends a change after those before it, at once where there are none. */
export async function sendInTurn<T>(
  ids: readonly string[],
  field: keyof MessageChange,
  send: () => Promise<T>,
): Promise<T> {
  const keys = ids.map((id) => keyOf(id, field));
  for (const key of keys) underWay.set(key, (underWay.get(key) ?? 0) + 1);
  const earlier = new Set(keys.flatMap((key) => last.get(key) ?? []));
  const sent = earlier.size === 0 ? send() : Promise.all(earlier).then(send);
  const decided = sent.catch(() => undefined);
  for (const key of keys) last.set(key, decided);
  try {
    return await sent;
  } finally {
    for (const key of keys) if (last.get(key) === decided) last.delete(key);
    setTimeout(() => followChanges(new Map(ids.flatMap((id) => settle(id, field)))), ECHO_MS);
  }
}

/** Takes what the server says of a message, but for what is being changed here: that waits. */
export function hear(id: string, told: Partial<MessageSummary>): RowChange | undefined {
  const isHeld = ([field]: [string, unknown]) => underWay.has(keyOf(id, field));
  const said = Object.entries(told);
  for (const [field, value] of said.filter(isHeld)) held.set(keyOf(id, field), { [field]: value });
  const rest = said.filter((entry) => !isHeld(entry));
  return rest.length > 0 ? patchRow(id, Object.fromEntries(rest)) : undefined;
}

function settle(id: string, field: keyof MessageChange): [string, RowChange][] {
  const key = keyOf(id, field);
  const others = (underWay.get(key) ?? 1) - 1;
  if (others > 0) {
    underWay.set(key, others);
    return [];
  }
  underWay.delete(key);
  const said = held.get(key);
  held.delete(key);
  return said ? [[id, patchRow(id, said)]] : [];
}
