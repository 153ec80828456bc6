// A border that is dragged, or moved with the arrow keys, to change a width.
interface Props {
  class: string;
  label: string;
  width: number;
  min: number;
  max: number;
  step: number;
  widthAt: (x: number) => number;
  onResize: (width: number) => void;
}

export function Handle({ class: name, label, width, min, max, step, widthAt, onResize }: Props) {
  const resize = (wanted: number) => onResize(Math.round(Math.min(max, Math.max(min, wanted))));
  return (
    <div
      class={name}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      data-own-arrows
      onKeyDown={({ key }) => {
        const by = { ArrowLeft: -step, ArrowRight: step }[key];
        if (by) resize(width + by);
      }}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(widthAt(event.clientX));
      }}
    />
  );
}
