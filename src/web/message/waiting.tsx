// A view whose content is still on its way, or did not come.
import type { Loaded } from "../state/resource.ts";

export function Waiting({ loaded }: { loaded: Loaded<unknown> }) {
  if (loaded.state === "failed") {
    return (
      <p class="view-empty" role="alert">
        {loaded.failure.message}
      </p>
    );
  }
  return <div class="message-waiting" role="status" aria-label="Loading" />;
}
