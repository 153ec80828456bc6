// The list of mail: a grid of which only the rows in sight exist.
import { useRef } from "preact/hooks";
import { focusList } from "../actions/focus.ts";
import { cursor, ids } from "../state/list.ts";
import { type Density, density } from "../state/settings.ts";
import { Icon } from "../ui/icon.tsx";
import { MailRow } from "./mail-row.tsx";
import { newAbove, useVirtualRows } from "./virtual-rows.ts";

/** At the usual size of text; larger text gets taller rows. */
const ROW_HEIGHT_PX: Record<Density, number> = { comfortable: 64, compact: 44 };
const USUAL_TEXT_PX = 16;
const textScale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT_PX;

export function MailList() {
  const scroller = useRef<HTMLDivElement>(null);
  const list = ids.value;
  const rowHeight = Math.round(ROW_HEIGHT_PX[density.value] * textScale);
  const { shown, onScroll } = useVirtualRows(scroller, list, rowHeight, cursor.value);
  const rows = list.slice(shown.first, shown.last);
  return (
    <div class="list-frame">
      {newAbove.value !== "" && (
        <button
          type="button"
          class="button button-primary new-pill"
          onClick={() => {
            scroller.current?.scrollTo({ top: 0 });
            focusList();
          }}
        >
          <Icon name="up" />
          {newAbove.value} new
        </button>
      )}
      <div
        id="mail-list"
        class="mail-list"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label="Messages"
        aria-multiselectable="true"
        aria-rowcount={list.length}
        aria-activedescendant={rows.includes(cursor.value) ? `row-${cursor.value}` : undefined}
        onScroll={onScroll}
      >
        <div role="presentation" style={{ height: `${list.length * rowHeight}px` }}>
          <div
            role="rowgroup"
            style={{
              transform: `translateY(${shown.first * rowHeight}px)`,
              "--row-height": `${rowHeight}px`,
            }}
          >
            {rows.map((id, index) => (
              <MailRow key={id ?? `hole-${shown.first + index}`} id={id} index={shown.first + index} />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
