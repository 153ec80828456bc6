// What the server tells of messages while they are being changed here. The echo of one change must not undo the next,
// which would start from it: it waits until none is under way.
import type { MessageChange, MessageSummary } from "../../model/index.ts";
import { fieldKey } from "./field-key.ts";
import { followChanges } from "./membership.ts";
import { patchRow, type RowChange } from "./rows.ts";
import { noteTold } from "./unsettled.ts";

/** Events may come this much later than the answer. */
const ECHO_MS = 1000;

const underWay = new Map<string, number>();
/** What the server last said of what is being changed. */
const held = new Map<string, Partial<MessageSummary>>();

/** Answers with what is to be called when the change has been taken or refused. */
export function holdEchoes(ids: readonly string[], field: keyof MessageChange): () => void {
  for (const id of ids) {
    const key = fieldKey(id, field);
    underWay.set(key, (underWay.get(key) ?? 0) + 1);
  }
  const letGo = () => followChanges(new Map(ids.flatMap((id) => release(id, field))));
  return () => setTimeout(letGo, ECHO_MS);
}

/** Takes what the server says of a message, but for what is being changed here: that waits. */
export function hear(id: string, told: Partial<MessageSummary>): RowChange | undefined {
  noteTold(id, told);
  const isHeld = ([field]: [string, unknown]) => underWay.has(fieldKey(id, field));
  const said = Object.entries(told);
  for (const [field, value] of said.filter(isHeld)) held.set(fieldKey(id, field), { [field]: value });
  const rest = said.filter((entry) => !isHeld(entry));
  return rest.length > 0 ? patchRow(id, Object.fromEntries(rest)) : undefined;
}

function release(id: string, field: keyof MessageChange): [string, RowChange][] {
  const key = fieldKey(id, field);
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
