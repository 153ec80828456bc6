// Changes that may yet be refused, and what the server last said of what they change. One that is refused is taken back
// to that, once those sent after it are decided too: what is shown until then is theirs.
import type { MessageChange, MessageSummary } from "../../model/index.ts";
import { fieldKey } from "./field-key.ts";

type Fields = Partial<Pick<MessageSummary, keyof MessageChange>>;

interface Unsettled {
  said: Fields;
  isHeard: boolean;
  underWay: number;
  isRefused: boolean;
}

const unsettled = new Map<string, Unsettled>();

const fieldsOf = (change: object) => Object.keys(change) as (keyof MessageChange)[];

export const isUnsettled = (id: string, field: string): boolean => unsettled.has(fieldKey(id, field));

export function beginChange(row: MessageSummary, change: MessageChange): void {
  for (const field of fieldsOf(change)) {
    const key = fieldKey(row.id, field);
    const known = unsettled.get(key);
    if (known) known.underWay++;
    else unsettled.set(key, { said: { [field]: row[field] }, isHeard: false, underWay: 1, isRefused: false });
  }
}

/** What the server tells of a mail in an event. */
export function noteTold(id: string, told: Partial<MessageSummary>): void {
  for (const field of fieldsOf(told)) {
    const known = unsettled.get(fieldKey(id, field));
    if (!known) continue;
    known.said = { [field]: told[field] };
    known.isHeard = true;
  }
}

/** The server has taken a change; of others, events may have told since it did. */
export function noteTaken(id: string, change: MessageChange): void {
  for (const field of fieldsOf(change)) {
    const known = unsettled.get(fieldKey(id, field));
    if (known && !known.isHeard) known.said = { [field]: change[field] };
  }
}

/** What is to be shown of a mail now that a change of it was taken or refused; nothing where that is shown already. */
export function endChange(id: string, change: MessageChange, isRefused: boolean): Fields | undefined {
  let shown: Fields | undefined;
  for (const field of fieldsOf(change)) {
    const known = unsettled.get(fieldKey(id, field));
    if (!known) continue;
    known.isRefused ||= isRefused;
    known.underWay--;
    if (known.underWay > 0) continue;
    unsettled.delete(fieldKey(id, field));
    if (known.isRefused) shown = { ...shown, ...known.said };
  }
  return shown;
}
