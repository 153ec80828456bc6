// Moving the focus between the parts of the page, after they were drawn.
const afterDrawing = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

const focusOn = (id: string) =>
  afterDrawing(() => document.getElementById(id)?.focus({ preventScroll: true }));

export const focusList = () => focusOn("mail-list");
export const focusMessage = () => focusOn("message-subject");

export function focusSearch(): void {
  const search = document.getElementById("search");
  if (search instanceof HTMLInputElement) search.select();
}
