// What became of a message at the relay; shown only where new mail is forwarded.
import type { RelayOutcome } from "../../model/index.ts";
import { getRelayOutcome } from "../api/server.ts";
import { useLoaded } from "../ui/waiting.tsx";

const WORDS: Record<string, { readonly text: string; readonly tone: "good" | "bad" | "warn" | "info" }> = {
  waiting: { text: "waits for the relay", tone: "warn" },
  relayed: { text: "relayed", tone: "good" },
  failed: { text: "not relayed", tone: "bad" },
  none: { text: "not for the relay", tone: "info" },
  skipped: { text: "not for the relay", tone: "info" },
};

export function RelayState({ id, isWhole }: { id: string; isWhole: boolean }) {
  const loaded = useLoaded(
    (unwanted) => getRelayOutcome(id, unwanted),
    ({ status }) => status === "waiting",
  );
  const words = loaded.state === "ready" ? WORDS[loaded.value.status] : undefined;
  if (loaded.state !== "ready" || !words) return null;
  const details = detailsOf(loaded.value);
  return (
    <span class="row wrap" title={details}>
      <span class={`pill pill-${words.tone}`}>{words.text}</span>
      {isWhole && <span class="hint">{details}</span>}
    </span>
  );
}

function detailsOf({ accepted, rejected, response, reason, tries }: RelayOutcome): string {
  return [
    accepted.length > 0 && `Accepted for ${accepted.join(", ")}.`,
    rejected.length > 0 && `Refused for ${rejected.join(", ")}.`,
    response,
    reason,
    tries > 1 && `Tried ${tries} times.`,
  ]
    .filter(Boolean)
    .join(" ");
}
