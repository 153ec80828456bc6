// Mail that arrived a moment ago: its rows light up once.
import { signal } from "@preact/signals";

const FRESH_MS = 1600;
/** In a flood nothing stands out, so nothing lights up. */
const MOST = 20;

export const fresh = signal<ReadonlySet<string>>(new Set());

export function lightUp(ids: readonly string[]): void {
  if (ids.length > MOST) return;
  fresh.value = new Set([...fresh.peek(), ...ids]);
  setTimeout(() => {
    fresh.value = new Set([...fresh.peek()].filter((id) => !ids.includes(id)));
  }, FRESH_MS);
}
