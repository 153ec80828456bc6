// A part of the page whose content is still on its way, or did not come.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApiFailure } from "../api/client.ts";
import { type Loaded, untilAnswered, willBeTriedAgain } from "../state/requests.ts";

/** Fetches something for as long as the part is shown. */
export function useLoaded<T>(load: (unwanted: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useSignal<Loaded<T>>({ state: "loading" });
  useEffect(() => {
    const closing = new AbortController();
    const fail = (failure: ApiFailure) => {
      loaded.value = { state: "failed", failure };
    };
    untilAnswered(() => load(closing.signal), closing.signal, fail)
      .then((value) => (loaded.value = { state: "ready", value }))
      .catch(() => undefined);
    return () => closing.abort();
  }, []);
  return loaded.value;
}

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
