// Senders and tags, each in a colour that stays with its name.
import { nameControls } from "../format/bidi-controls.ts";
import { hueOf, initials } from "../format/sender.ts";

export function Avatar({ name }: { name: string }) {
  return (
    <span class="avatar" style={{ "--hue": hueOf(name) }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** Cut off where it is too long for its place. */
export function Tag({ name }: { name: string }) {
  return (
    <span class="tag" style={{ "--hue": hueOf(name) }}>
      <bdi>{nameControls(name)}</bdi>
    </span>
  );
}
