// The border between list and message: dragged, or moved with the arrow keys; the width is remembered.
import { useRef } from "preact/hooks";
import { listWidth } from "../state/settings.ts";

const MIN_PX = 300;
const MIN_MESSAGE_PX = 380;
const STEP_PX = 24;
const DEFAULT_PX = 420;

const widest = () => Math.max(MIN_PX, window.innerWidth - MIN_MESSAGE_PX);
const resizeTo = (width: number) => {
  listWidth.value = Math.round(Math.min(widest(), Math.max(MIN_PX, width)));
};

export function Splitter() {
  const grab = useRef<number | undefined>(undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP_PX, ArrowRight: STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    resizeTo(listWidth.peek() + step);
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the list"
      aria-valuenow={listWidth.value}
      aria-valuemin={MIN_PX}
      aria-valuemax={widest()}
      onKeyDown={onKeyDown}
      onDblClick={() => resizeTo(DEFAULT_PX)}
      onPointerDown={(event) => {
        grab.current = listWidth.peek() - event.clientX;
        event.currentTarget.setPointerCapture(event.pointerId);
        document.body.classList.add("is-resizing");
      }}
      onPointerMove={(event) => {
        if (grab.current !== undefined) resizeTo(grab.current + event.clientX);
      }}
      onLostPointerCapture={() => {
        grab.current = undefined;
        document.body.classList.remove("is-resizing");
      }}
    />
  );
}
