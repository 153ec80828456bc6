// What happens in the frames of an HTML body: keys, links, scrolling in step, printing, saving a picture.

const OWN_KEYS = /^(?: |Arrow.*|Page.*|Home|End|Tab|Enter)$/;

const followed = new WeakSet<Document>();

/** Listens to a frame as soon as it has the focus: its load event comes after all pictures. */
export function followFrames(): void {
  window.addEventListener("blur", () => {
    const held = document.activeElement;
    if (held instanceof HTMLIFrameElement && held.matches(".html-frame")) followFrame(held);
  });
}

export function followFrame(frame: HTMLIFrameElement): void {
  const body = frame.contentDocument;
  if (!body || followed.has(body)) return;
  followed.add(body);
  body.addEventListener("keydown", (event) => {
    // A key pressed inside a frame does not reach the dialog around it.
    if (event.key === "Escape") frame.closest("dialog")?.dispatchEvent(new Event("cancel"));
    if (event.ctrlKey || event.metaKey || OWN_KEYS.test(event.key)) return;
    const isUnused = frame.dispatchEvent(new KeyboardEvent("keydown", event));
    if (!isUnused) event.preventDefault();
  });
  body.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    // `replace` adds no step to the history, so that Back leaves the message.
    body.location.replace(link.href);
  });
}

/** The height is measured at this width. A4 and Letter are wider, so text is not higher there. */
const PAPER_WIDTH = "640px";

export function printWhole(): void {
  const frame = () => document.querySelector<HTMLIFrameElement>(".html-frame");
  window.addEventListener("beforeprint", () => heighten(frame()));
  window.addEventListener("afterprint", () => frame()?.style.removeProperty("height"));
}

function heighten(frame: HTMLIFrameElement | null): void {
  if (!frame) return;
  frame.style.width = PAPER_WIDTH;
  const height = frame.contentDocument?.documentElement.scrollHeight;
  frame.style.width = "";
  if (height) frame.style.height = `${height}px`;
}

export function scrollInStep(frame: HTMLIFrameElement): void {
  const desk = frame.closest(".html-desk");
  // A frame that is loaded later scrolls to the position of the others.
  for (const other of desk?.querySelectorAll("iframe") ?? [])
    other.contentWindow?.dispatchEvent(new Event("scroll"));
  frame.contentWindow?.addEventListener("scroll", () => {
    const own = frame.contentDocument?.scrollingElement;
    if (!own || !desk) return;
    const share = own.scrollTop / Math.max(1, own.scrollHeight - own.clientHeight);
    for (const { contentDocument } of desk.querySelectorAll("iframe")) {
      const other = contentDocument?.scrollingElement;
      if (!other || other === own) continue;
      const top = share * (other.scrollHeight - other.clientHeight);
      // Without this limit, rounding would let the frames scroll each other forever.
      if (Math.abs(other.scrollTop - top) > 2) other.scrollTop = top;
    }
  });
}

const MAX_HEIGHT_PX = 12_000;

/** Draws the body as an SVG image, which may load nothing, so pictures are embedded as data. */
export async function savePicture(frame: HTMLIFrameElement, name: string): Promise<void> {
  const root = frame.contentDocument?.documentElement;
  if (!root) return;
  const [width, height] = [frame.clientWidth, Math.min(MAX_HEIGHT_PX, root.scrollHeight)];
  const copy = root.cloneNode(true) as HTMLElement;
  await Promise.all([...copy.querySelectorAll("img")].map(embed));
  // Browsers do not style links inside an image, so they would look like plain text.
  const style = copy.querySelector("head")?.appendChild(document.createElement("style"));
  if (style) style.textContent = ":where(a[href]) { color: #0000ee; text-decoration: underline }";
  const markup = new XMLSerializer().serializeToString(copy);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  const scale = window.devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.scale(scale, scale);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0);
  const link = document.createElement("a");
  link.href = canvas.toDataURL("image/png");
  link.download = `${name.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 60)}.png`;
  link.click();
}

async function embed(image: HTMLImageElement): Promise<void> {
  const address = image.getAttribute("src") ?? "";
  if (address.startsWith("data:")) return;
  image.removeAttribute("srcset");
  try {
    const bytes = await (await fetch(new URL(address, location.href))).blob();
    image.src = await new Promise<string>((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.onerror = reject;
      reader.readAsDataURL(bytes);
    });
  } catch {
    // The content security policy forbids pictures of other servers, so they are left out.
    image.removeAttribute("src");
  }
}
