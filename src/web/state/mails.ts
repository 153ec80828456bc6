// The summaries of mail: the server's latest data, and the user's changes until the server has
// answered them. Each summary is its own signal, so that a changed star redraws one row.
import { batch, type Signal, signal } from "@preact/signals";
import type { MessageChange, MessageSummary } from "../../model/index.ts";

interface Entry {
  server: MessageSummary;
  updatedAt: number;
  /** Changes that are not answered yet, oldest first. */
  overrides: readonly MessageChange[];
  readonly shown: Signal<MessageSummary>;
}

const entries = new Map<string, Entry>();
export const newestMail = signal("");

export const hidden = signal<ReadonlySet<string>>(new Set());

export const mailOf = (id: string): Signal<MessageSummary> | undefined => entries.get(id)?.shown;

/** Ignores a summary that was requested before the last known change of the mail. */
export function putMail(summary: MessageSummary, askedAt = performance.now()): void {
  if (summary.id > newestMail.peek()) newestMail.value = summary.id;
  const known = entries.get(summary.id);
  if (known && known.updatedAt > askedAt) return;
  if (known) {
    known.server = summary;
    show(known);
  } else {
    const entry = { server: summary, updatedAt: askedAt, overrides: [], shown: signal(summary) };
    entries.set(summary.id, entry);
  }
}

export function patchMail(id: string, change: MessageChange): void {
  const entry = entries.get(id);
  if (!entry) return;
  entry.server = Object.assign({}, entry.server, change);
  entry.updatedAt = performance.now();
  show(entry);
}

export const isUpdatedSince = (id: string, time: number): boolean => (entries.get(id)?.updatedAt ?? 0) > time;

/** Shows a change at once. Call the returned function when the server has answered. */
export function overrideMails(ids: readonly string[], change: MessageChange): () => void {
  const set = (overrides: (before: readonly MessageChange[]) => readonly MessageChange[]) =>
    batch(() => {
      for (const id of ids) {
        const entry = entries.get(id);
        if (!entry) continue;
        entry.overrides = overrides(entry.overrides);
        show(entry);
      }
    });
  set((before) => [...before, change]);
  return () => set((before) => before.filter((other) => other !== change));
}

export function hideMails(ids: Iterable<string>): void {
  hidden.value = new Set([...hidden.peek(), ...ids]);
}

export function unhideMails(ids: Iterable<string>): void {
  const left = new Set(hidden.peek());
  for (const id of ids) left.delete(id);
  if (left.size < hidden.peek().size) hidden.value = left;
}

export function forgetMails(ids: Iterable<string> = [...entries.keys()]): void {
  for (const id of ids) entries.delete(id);
}

function show(entry: Entry): void {
  entry.shown.value = Object.assign({}, entry.server, ...entry.overrides);
}
