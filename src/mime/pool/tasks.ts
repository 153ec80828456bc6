// The work that may be slow on a hostile mail and therefore runs in a worker with a time limit. Plain data both ways.
import { type BodyPart, composeBodies, decodeBody } from "../body/bodies.ts";
import { decodeAddressedHeaders } from "../header/addresses.ts";
import { readAuth } from "../header/auth-results.ts";
import { decodeHeaders } from "../header/fields.ts";
import { sanitizeHtml } from "../html/sanitize.ts";
import { readCodes } from "../insight/codes.ts";
import { findLinks } from "../insight/links.ts";

export const PARSE_TASKS = {
  /** `pieces` are the raw bytes of the parts, in the same order. */
  parse: ({ parts, pieces }: { parts: readonly BodyPart[]; pieces: readonly Uint8Array[] }) =>
    composeBodies(
      parts.map((part, index) => ({ ...part, content: decodeBody(part, pieces[index] ?? new Uint8Array()) })),
    ),
  sanitize: ({ html, inlineBase, remote }: { html: string; inlineBase: string; remote: boolean }) =>
    sanitizeHtml(html, { inlineUrl: (cid) => inlineBase + encodeURIComponent(cid), remote }),
  links: findLinks,
  codes: readCodes,
  headers: decodeHeaders,
  "addressed-headers": decodeAddressedHeaders,
  auth: readAuth,
};

export type ParseTasks = typeof PARSE_TASKS;
