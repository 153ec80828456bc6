// A circle with initials in a colour that stays with the sender.
import { hueOf, initials } from "../format/sender.ts";

export function Avatar({ name }: { name: string }) {
  return (
    <span class="avatar" style={{ "--hue": hueOf(name) }} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
