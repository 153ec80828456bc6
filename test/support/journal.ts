// A journal that saves its entries in a map, where another journal finds them, as after a restart.
import { Journal, type JournalEntry } from "../../src/app/index.ts";

export type Slots = Map<number, JournalEntry>;

export function journalIn(slots: Slots = new Map(), kept = 1): Journal {
  const journal = new Journal(kept, (slot, entry) => slots.set(slot, entry));
  const saved = [...slots].toSorted(([, a], [, b]) => (a.id < b.id ? -1 : 1));
  for (const [slot, entry] of saved) journal.load(slot, entry);
  return journal;
}
