// Says across the page that the server is gone or does not answer, once that has lasted longer than a hiccup.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ids } from "../state/list.ts";
import { liveState, reconnectNow } from "../state/live.ts";
import { failing, isSignedOut } from "../state/requests.ts";
import { Icon } from "../ui/icon.tsx";

const HICCUP_MS = 1200;

export function OfflineBanner() {
  const isLost = liveState.value === "reconnecting";
  const isTroubled = isLost || failing.value > 0;
  const words = isSignedOut.value
    ? "You are signed out."
    : isLost
      ? "The connection to the server is lost."
      : "The server did not answer everything.";
  const hasLasted = useSignal(false);
  useEffect(() => {
    hasLasted.value = false;
    if (!isTroubled) return;
    const timer = setTimeout(() => {
      hasLasted.value = true;
    }, HICCUP_MS);
    return () => clearTimeout(timer);
  }, [isTroubled]);
  return (
    <div role="status">
      {isTroubled && hasLasted.value && (
        <div class="row note offline-banner">
          <Icon name="offline" />
          <span>
            <strong>{words}</strong> {isLost && ids.value.length > 0 && "What you see may be out of date. "}
            {!isSignedOut.value && "This page tries again by itself."}
          </span>
          <button
            type="button"
            class="link-button"
            onClick={() => (isSignedOut.peek() ? location.reload() : reconnectNow())}
          >
            {isSignedOut.value ? "Sign in" : "Try now"}
          </button>
        </div>
      )}
    </div>
  );
}
