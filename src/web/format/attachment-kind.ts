// What the page can show of an attachment. Which pictures a browser can draw, it finds out itself.
import type { Attachment } from "../../model/index.ts";

export type AttachmentKind = "image" | "pdf" | "text" | "table" | "event" | "message" | "archive";

const BY_TYPE: Readonly<Record<string, AttachmentKind>> = {
  "application/pdf": "pdf",
  "text/csv": "table",
  "text/tab-separated-values": "table",
  "text/calendar": "event",
  "message/rfc822": "message",
  "application/zip": "archive",
  "application/x-zip-compressed": "archive",
  "application/json": "text",
  "application/xml": "text",
  "application/javascript": "text",
  "application/yaml": "text",
};

/** Pictures are known by their first bytes; a browser takes SVG for one by its type alone, so its name is not enough. */
const BY_NAME: readonly (readonly [RegExp, AttachmentKind])[] = [
  [/\.pdf$/i, "pdf"],
  [/\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i, "image"],
  [/\.(csv|tsv)$/i, "table"],
  [/\.ics$/i, "event"],
  [/\.eml$/i, "message"],
  [/\.(zip|docx|xlsx|pptx|jar)$/i, "archive"],
  [/\.(txt|log|md|json|xml|html?|css|m?[jt]s|ya?ml|toml|ini|sql|sh|diff|patch)$/i, "text"],
];

export function kindOf({ content_type, filename }: Attachment): AttachmentKind | undefined {
  const type = content_type.toLowerCase();
  if (type.startsWith("image/")) return "image";
  const known = BY_TYPE[type];
  if (known) return known;
  const isVague = type === "application/octet-stream" || type === "text/plain";
  const named = isVague ? BY_NAME.find(([name]) => name.test(filename))?.[1] : undefined;
  return named ?? (type.startsWith("text/") || /\+(json|xml)$/.test(type) ? "text" : undefined);
}
