// A time that is relative in sight and exact on hover. "2 min" grows old by itself.
import { signal } from "@preact/signals";
import { formatExact, formatRelative } from "../format/time.ts";

const TICK_MS = 20_000;

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, TICK_MS);

export function Moment({ iso }: { iso: string }) {
  return (
    <time class="hint" dateTime={iso} title={formatExact(iso)}>
      {formatRelative(iso, Math.max(now.value, Date.now()))}
    </time>
  );
}
