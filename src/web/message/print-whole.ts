// An HTML body on paper: its frame becomes as high as what it holds, for what does not fit in it is not printed.

/** Less than what is left on a sheet of A4 or Letter: on a wider one the body is not higher. */
const PAPER_WIDTH = "640px";

export function printWhole(): void {
  window.addEventListener("beforeprint", () => forFrame(heighten));
  window.addEventListener("afterprint", () =>
    forFrame((frame) => {
      frame.style.height = "";
    }),
  );
}

function forFrame(act: (frame: HTMLIFrameElement) => void): void {
  const frame = document.querySelector<HTMLIFrameElement>(".html-frame");
  if (frame) act(frame);
}

function heighten(frame: HTMLIFrameElement): void {
  const { width } = frame.style;
  if (width === "100%") frame.style.width = PAPER_WIDTH;
  const height = frame.contentDocument?.documentElement.scrollHeight;
  frame.style.width = width;
  if (height) frame.style.height = `${height}px`;
}
