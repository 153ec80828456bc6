// Stands for an address that leads nowhere, with the way to the mail.
import { HOME, NO_FILTER } from "../state/address.ts";
import { navigate } from "../state/route.ts";
import { Icon } from "../ui/icon.tsx";

export function UnknownAddress() {
  return (
    <main id="content" class="notice unknown-address" tabIndex={-1}>
      <Icon name="search" />
      <h2>There is nothing at this address</h2>
      <p>
        <code>{location.pathname}</code> is neither a page nor a message of this mailbox.
      </p>
      <a
        class="button button-primary"
        href={HOME}
        onClick={(event) => {
          event.preventDefault();
          navigate({ filter: NO_FILTER });
        }}
      >
        To the inbox
      </a>
    </main>
  );
}
