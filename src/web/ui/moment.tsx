// A time that is relative in sight and exact on hover.
import { formatExact, formatRelative } from "../format/time.ts";
import { now } from "../state/clock.ts";

export function Moment({ iso }: { iso: string }) {
  return (
    <time class="moment" dateTime={iso} title={formatExact(iso)}>
      {formatRelative(iso, Math.max(now.value, Date.now()))}
    </time>
  );
}
