// Says across the page that the server is gone, once that has lasted longer than a hiccup.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { liveState, reconnectNow } from "../state/live.ts";
import { ids } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";

const HICCUP_MS = 1200;

export function OfflineBanner() {
  const isLost = liveState.value === "reconnecting";
  const hasLasted = useSignal(false);
  useEffect(() => {
    hasLasted.value = false;
    if (!isLost) return;
    const timer = setTimeout(() => {
      hasLasted.value = true;
    }, HICCUP_MS);
    return () => clearTimeout(timer);
  }, [isLost]);
  return (
    <div class="banner-place" role="status">
      {isLost && hasLasted.value && (
        <div class="offline-banner">
          <Icon name="offline" />
          <span>
            <strong>The connection to the server is lost.</strong>{" "}
            {ids.value.length > 0 && "What you see may be out of date. "}
            This page reconnects by itself.
          </span>
          <button type="button" class="link-button" onClick={reconnectNow}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
