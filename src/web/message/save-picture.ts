// Saves what a preview frame shows as a PNG. The body is drawn as an SVG image, which may load nothing: pictures go
// into it as data.

const MAX_HEIGHT_PX = 12_000;

export async function savePicture(frame: HTMLIFrameElement, name: string): Promise<void> {
  const root = frame.contentDocument?.documentElement;
  if (!root) return;
  const [width, height] = [frame.clientWidth, Math.min(MAX_HEIGHT_PX, root.scrollHeight)];
  const copy = root.cloneNode(true) as HTMLElement;
  await Promise.all([...copy.querySelectorAll("img")].map(embed));
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
    // Our own policy does not let the page fetch from other servers: such a picture is left out.
    image.removeAttribute("src");
  }
}
