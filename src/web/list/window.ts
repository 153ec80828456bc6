// Which rows of a long list are in sight. Browsers cap the height of an element, so a list taller than
// MAX_HEIGHT_PX is squeezed: scrolling then moves faster than the scrollbar. Pure arithmetic.
const MAX_HEIGHT_PX = 12_000_000;
const OVERSCAN_ROWS = 4;

export interface ListGeometry {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of the part in sight. */
  readonly height: number;
}

export interface ListWindow {
  readonly first: number;
  readonly last: number;
  /** Where the first drawn row stands, in pixels from the top of the scrolled element. */
  readonly offset: number;
}

export function scrolledHeight({ count, rowHeight }: ListGeometry): number {
  return Math.min(MAX_HEIGHT_PX, count * rowHeight);
}

export function windowAt(scrollTop: number, geometry: ListGeometry): ListWindow {
  const { count, rowHeight, height } = geometry;
  const top = toRows(scrollTop, geometry);
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN_ROWS);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN_ROWS);
  return { first, last, offset: scrollTop - (top - first * rowHeight) };
}

/** From a scroll position to pixels in the unsqueezed list, and back. */
export const toRows = (scrollTop: number, geometry: ListGeometry) => scrollTop * squeeze(geometry);
export const toScroll = (top: number, geometry: ListGeometry) => top / squeeze(geometry);

function squeeze({ count, rowHeight, height }: ListGeometry): number {
  const full = count * rowHeight;
  return full <= MAX_HEIGHT_PX ? 1 : (full - height) / (MAX_HEIGHT_PX - height);
}
