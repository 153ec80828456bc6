// Whether new mail shows up by itself right now.
import { liveState } from "../state/live.ts";

const WORDS = {
  connecting: { text: "Connecting", hint: "Connecting to the event stream" },
  live: { text: "Live", hint: "New mail appears by itself" },
  reconnecting: { text: "Reconnecting", hint: "The connection was lost; trying again" },
};

export function LiveBadge() {
  const { text, hint } = WORDS[liveState.value];
  return (
    <span class={`live-badge live-${liveState.value}`} role="status" title={hint}>
      <span class="live-dot" aria-hidden="true" />
      <span>{text}</span>
    </span>
  );
}
