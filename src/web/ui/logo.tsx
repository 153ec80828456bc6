// The mark beside the name.
import { MARK_BODY, MARK_FLAP, MARK_WALL } from "./favicon.ts";

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <path d={`${MARK_WALL}z`} />
      <path d={MARK_BODY} />
      <path d={MARK_FLAP} class="logo-flap" />
    </svg>
  );
}
