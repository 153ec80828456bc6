// A part of the page whose content is still on its way, or did not come.
import type { ApiFailure } from "../api/client.ts";
import { type Loaded, willBeTriedAgain } from "../state/requests.ts";

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

/** Why something could not be had, and that nobody needs to reload the page for it. */
export function FailureText({ failure }: { failure: ApiFailure }) {
  return (
    <>
      {failure.message}
      {willBeTriedAgain(failure) && " This page tries again by itself."}
    </>
  );
}
