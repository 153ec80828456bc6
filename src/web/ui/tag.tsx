// A tag in a colour of its own, cut off where it is too long for its place.
import { nameControls } from "../format/bidi-controls.ts";
import { hueOf } from "../format/sender.ts";

export function Tag({ name }: { name: string }) {
  return (
    <span class="tag" style={{ "--hue": hueOf(name) }}>
      <bdi>{nameControls(name)}</bdi>
    </span>
  );
}
