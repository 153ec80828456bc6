// What stands in place of a message: none chosen, deleted elsewhere, or not to be had.
import type { ApiFailure } from "../api/client.ts";
import { navigate } from "../state/route.ts";
import { tryNow } from "../state/until-answered.ts";
import { FailureText } from "../ui/failure-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { Logo } from "../ui/logo.tsx";

export function NothingOpened() {
  return (
    <div class="notice notice-quiet">
      <Logo />
      <p>Select a message to read it</p>
      <p class="hint">
        <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>/</kbd> to search, <kbd>?</kbd> for all keys
      </p>
    </div>
  );
}

const backToList = () => navigate({ id: undefined, tab: undefined }, "replace");

export function Gone() {
  return (
    <div class="notice" role="status">
      <Icon name="trash" />
      <h2>This message no longer exists</h2>
      <p>It was deleted, by you or someone else, by a test run or because it grew too old.</p>
      <button type="button" class="button" onClick={backToList}>
        Back to the list
      </button>
    </div>
  );
}

export function NotLoaded({ failure }: { failure: ApiFailure }) {
  return (
    <div class="notice" role="alert">
      <Icon name="offline" />
      <h2>The message could not be loaded</h2>
      <p>
        <FailureText failure={failure} />
      </p>
      <button type="button" class="button" onClick={tryNow}>
        Try again
      </button>
      <button type="button" class="link-button" onClick={backToList}>
        Back to the list
      </button>
    </div>
  );
}
