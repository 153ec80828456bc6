// A journal that saves its values in a map, where another journal finds them, as after a restart.
import { Journal, type JournalValue } from "../../src/app/index.ts";

export type Saved = Map<string, JournalValue>;

export function journalIn(saved: Saved = new Map(), kept = 0): Journal {
  const journal = new Journal(kept, (name, value) => saved.set(name, value));
  for (const [name, value] of saved) journal.load(name, value);
  return journal;
}
