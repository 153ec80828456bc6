// What the page shows while content is loading or has failed, and the notices at the bottom.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { ApiFailure } from "../api/index.ts";
import { fill, type Loaded, willBeTriedAgain } from "../state/requests.ts";
import { hideToast, toasts } from "../state/toasts.ts";
import { Button, IconButton } from "./buttons.tsx";

const POLL_MS = 2000;

/** Fetches something for a component, and polls as long as `mayChange` is true. */
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
    fill(loaded, load, closing.signal)
      .then((value) => {
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

export function Ready<T>({
  of: loaded,
  children,
}: {
  of: Loaded<T>;
  children: (value: T) => ComponentChildren;
}) {
  return loaded.state === "ready" ? children(loaded.value) : <Waiting loaded={loaded} />;
}

export function Waiting({ loaded }: { loaded: Loaded<unknown> }) {
  if (loaded.state === "failed") {
    return (
      <p class="view-empty" role="alert">
        {failureText(loaded.failure)}
      </p>
    );
  }
  return <div class="grow" role="status" aria-label="Loading" />;
}

export const failureText = (failure: ApiFailure): string =>
  willBeTriedAgain(failure) ? `${failure.message} This page tries again by itself.` : failure.message;

/** Exists even if empty: screen readers announce only changes of a region that they know. */
export function Toasts({ isShown = true }: { isShown?: boolean }) {
  const shown = isShown ? toasts.value : [];
  return (
    <div class="center toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone, action }) => (
        <div key={id} class={`row small toast toast-${tone}`}>
          <span>{text}</span>
          {action && <Button class="link-button" label={action.label} onClick={action.run} />}
          <IconButton icon="close" label="Dismiss" onClick={() => hideToast(id)} />
        </div>
      ))}
    </div>
  );
}
