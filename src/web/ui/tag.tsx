// A tag, cut off where it is too long for its place.
import { nameControls } from "../format/bidi-controls.ts";

export function Tag({ name }: { name: string }) {
  return (
    <span class="tag">
      <bdi>{nameControls(name)}</bdi>
    </span>
  );
}
