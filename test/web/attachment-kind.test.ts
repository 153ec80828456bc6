// Which attachments open in the viewer.
import { expect, test } from "bun:test";
import { kindOf } from "../../src/web/format/attachments.ts";

test.each([
  ["image/png", "a", "image"],
  ["IMAGE/pjpeg", "a.jpg", "image"],
  ["image/vnd.microsoft.icon", "a.ico", "image"],
  ["image/apng", "a.apng", "image"],
  ["image/tiff", "a.tif", "image"],
  ["application/pdf", "a", "pdf"],
  ["application/octet-stream", "Scan.PDF", "pdf"],
  ["application/octet-stream", "photo.JPG", "image"],
  ["image/svg+xml", "logo.svg", "image"],
  ["application/octet-stream", "logo.svg", undefined],
  ["application/octet-stream", "pdf", undefined],
  ["application/octet-stream", "invoice.pdf.exe", undefined],
  ["text/html", "a.pdf", "text"],
  ["application/zip", "a.png", "archive"],
  ["text/csv", "a", "table"],
  ["text/plain", "a.csv", "table"],
  ["text/calendar", "invite.ics", "event"],
  ["message/rfc822", "a.eml", "message"],
  ["application/ld+json", "a", "text"],
  ["application/x-msdownload", "a.exe", undefined],
] as const)("%p named %p: %p", (content_type, filename, kind) => {
  expect(kindOf({ id: "", message_id: "", filename, content_type, size: 1 })).toBe(kind);
});
