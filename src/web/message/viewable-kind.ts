// What a browser can show of an attachment. Which pictures it can draw, it finds out itself.
import type { Attachment } from "../../model/index.ts";

export type ViewableKind = "image" | "pdf";

export function viewableKind({ content_type, filename }: Attachment): ViewableKind | undefined {
  const type = content_type.toLowerCase();
  if (type.startsWith("image/")) return "image";
  if (type === "application/pdf") return "pdf";
  // Sent as nothing but bytes, a file is what its name says.
  if (type !== "application/octet-stream") return undefined;
  if (/\.pdf$/i.test(filename)) return "pdf";
  // Pictures are known by their first bytes; a browser takes SVG for one by its type alone.
  return /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i.test(filename) ? "image" : undefined;
}
