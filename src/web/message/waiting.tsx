// A view whose content is still on its way, or did not come.
import type { Loaded } from "../state/resource.ts";
import { FailureText } from "../ui/failure-text.tsx";

export function Waiting({ loaded }: { loaded: Loaded<unknown> }) {
  if (loaded.state === "failed") {
    return (
      <p class="view-empty" role="alert">
        <FailureText failure={loaded.failure} />
      </p>
    );
  }
  return <div class="message-waiting" role="status" aria-label="Loading" />;
}
