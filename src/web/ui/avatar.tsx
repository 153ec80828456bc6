// A circle with initials in a colour that stays with the sender.
import { colourOf, initials } from "../format/sender.ts";

const COLOURS = 8;

export function Avatar({ name }: { name: string }) {
  return (
    <span class={`avatar avatar-${colourOf(name, COLOURS)}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
