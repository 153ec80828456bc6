// The list of mail: a grid that contains only the visible rows and a few around them.

import { useMemo, useRef } from "preact/hooks";
import { focusList } from "../actions/focus.ts";
import { nameControls } from "../format/text-parts.ts";
import { formatMoment } from "../format/time.ts";
import { deleteWithUndo } from "../state/changes.ts";
import { ask } from "../state/layout.ts";
import { cursor, fetchRun, isId } from "../state/list.ts";
import { mayWrite } from "../state/service.ts";
import { type Density, density } from "../state/settings.ts";
import { attempt, complain } from "../state/toasts.ts";
import { Button, Icon, IconButton } from "../ui/index.ts";
import { MailRow } from "./mail-row.tsx";
import { type Heading, listRows, toggleFolded } from "./runs.ts";
import { newAbove, useVirtualRows } from "./virtual-rows.ts";

/** Heights at the usual text size. They follow the text size that is set in the browser. */
const ROW_HEIGHT_PX: Record<Density, number> = { comfortable: 64, compact: 44 };
const HEADING_HEIGHT_PX = 36;
const USUAL_TEXT_PX = 16;
const textScale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_TEXT_PX;

export function MailList() {
  const scroller = useRef<HTMLDivElement>(null);
  const { keys: list, headings } = listRows.value;
  const rowHeight = Math.round(ROW_HEIGHT_PX[density.value] * textScale);
  const headingHeight = Math.round(HEADING_HEIGHT_PX * textScale);
  const tops = useMemo(() => {
    let end = 0;
    const heights = list.map((key) => (headings.has(key) ? headingHeight : rowHeight));
    return [0, ...heights.map((height) => (end += height))];
  }, [list, rowHeight]);
  const { shown, onScroll } = useVirtualRows(scroller, listRows.value, tops, cursor.value);
  const rows = list.slice(shown.first, shown.last);
  return (
    <div class="grow list-frame">
      {newAbove.value !== "" && (
        <Button
          class="button button-primary new-pill"
          icon="up"
          label={`${newAbove.value} new`}
          onClick={() => {
            scroller.current?.scrollTo({ top: 0 });
            focusList();
          }}
        />
      )}
      <div
        id="mail-list"
        class="mail-list"
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label="Mails"
        aria-multiselectable="true"
        aria-rowcount={list.length}
        aria-activedescendant={rows.includes(cursor.value ?? "") ? `row-${cursor.value}` : undefined}
        onScroll={onScroll}
        // A clicked button passes the focus on to the list, because keys act on the cursor and not on its row.
        onFocusIn={({ target, currentTarget }) => {
          if ((target as HTMLElement).tabIndex < 0) currentTarget.focus({ preventScroll: true });
        }}
      >
        <div role="presentation" style={{ height: `${tops.at(-1)}px` }}>
          <div
            role="rowgroup"
            style={{
              transform: `translateY(${tops[shown.first]}px)`,
              "--row-height": `${rowHeight}px`,
              "--heading-height": `${headingHeight}px`,
            }}
          >
            {rows.map((key, index) => {
              const run = headings.get(key);
              const place = shown.first + index;
              return run ? (
                <RunRow key={key} run={run} index={place} />
              ) : (
                <MailRow key={key} id={key} index={place} />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

function RunRow({ run, index }: { run: Heading; index: number }) {
  return (
    <div class="mail-row run-row" role="row" aria-rowindex={index + 1}>
      <div role="gridcell">
        <button
          type="button"
          class="button button-quiet"
          aria-expanded={!run.isFolded}
          tabIndex={-1}
          onClick={() => toggleFolded(run)}
        >
          <Icon name={run.isFolded ? "down" : "up"} />
          {run.name && <bdi class="cut">{nameControls(run.name)}</bdi>}
          <span class={run.name && "hint"}>
            {formatMoment(run.time)}
            {run.isWhole ? `, ${countOf(run.keys)}` : " and earlier"}
          </span>
        </button>
      </div>
      <div role="gridcell">
        {mayWrite() && (
          <IconButton
            icon="trash"
            label="Delete this run"
            tabIndex={-1}
            onClick={() => void deleteRun(run)}
          />
        )}
      </div>
    </div>
  );
}

const countOf = ({ length }: readonly unknown[]) =>
  length === 1 ? "1 mail" : `${length.toLocaleString()} mails`;

async function deleteRun(run: Heading): Promise<void> {
  const known = run.keys.filter(isId);
  const rest = run.isWhole ? [] : await attempt("Not deleted", fetchRun(known[0] ?? "", run.name));
  if (!rest) return;
  if (!run.isWhole && rest.length === 0) {
    complain("Not deleted: the rest of this run was not found. Scroll to its end first.");
    return;
  }
  const whole = [...new Set([...known, ...rest])];
  ask({
    title: "Delete this run?",
    text: () => `${countOf(whole)} will be deleted, starred mail too.`,
    action: `Delete ${countOf(whole)}`,
    run: () => deleteWithUndo(whole),
  });
}
