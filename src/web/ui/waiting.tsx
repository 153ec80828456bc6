// A part of the page whose content is still on its way, or did not come.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApiFailure } from "../api/client.ts";
import { type Loaded, untilAnswered, willBeTriedAgain } from "../state/requests.ts";

const POLL_MS = 2000;

/** Fetches something for as long as the part is shown, and again while its value may change. `reload` asks at once. */
export function useLoaded<T>(
  load: (unwanted: AbortSignal) => Promise<T>,
  mayChange: (value: T) => boolean = () => false,
) {
  const loaded = useSignal<Loaded<T>>({ state: "loading" });
  const turn = useSignal(0);
  const reload = () => {
    turn.value++;
  };
  useEffect(() => {
    const closing = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fail = (failure: ApiFailure) => {
      loaded.value = { state: "failed", failure };
    };
    untilAnswered(() => load(closing.signal), closing.signal, fail)
      .then((value) => {
        loaded.value = { state: "ready", value };
        if (mayChange(value)) timer = setTimeout(reload, POLL_MS);
      })
      .catch(() => undefined);
    return () => {
      clearTimeout(timer);
      closing.abort();
    };
  }, [turn.value]);
  return { ...loaded.value, reload };
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
