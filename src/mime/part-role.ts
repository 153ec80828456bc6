// What a part is to the reader: a container, part of the body, or an attachment. It is decided by
// the part's own header and the containers around it, so the accept path and the lists agree.
import { MAX_BOUNDARY_BYTES } from "./limits.ts";
import type { PartDescription } from "./part-headers.ts";

export type PartRole = "multipart" | "text" | "html" | "attachment";

export interface PartContext {
  readonly isRoot: boolean;
  /** Media type of the container, "" for the message itself. */
  readonly parentType: string;
  /** Inside a multipart/alternative, at any depth. */
  readonly inAlternative: boolean;
}

/** RFC 2045 section 5.2, RFC 2046 section 5.1.5; an unlabelled file is octets. */
export function effectiveType(part: PartDescription, { isRoot, parentType }: PartContext): string {
  if (part.declaredType !== null) return part.declaredType;
  if (part.disposition === "attachment") return "application/octet-stream";
  if (part.filename !== "" && !isRoot) return "application/octet-stream";
  return parentType === "multipart/digest" ? "message/rfc822" : "text/plain";
}

const BODY_TYPES: Readonly<Record<string, "text" | "html">> = {
  "text/plain": "text",
  "text/html": "html",
  "message/delivery-status": "text",
};

/** The octets of the boundary as they stand in delimiter lines, one character each; null when there is none to use. */
export function usableBoundary(part: PartDescription): string | null {
  const boundary = part.params.get("boundary");
  if (!boundary || boundary.length > MAX_BOUNDARY_BYTES) return null;
  return Buffer.from(boundary, "utf8").toString("latin1").trimEnd();
}

/** A multipart without a usable boundary has nothing but its text; one too deep to enter is a file. */
export function partRole(
  part: PartDescription,
  type: string,
  context: PartContext,
  canDescend: boolean,
): PartRole {
  if (type.startsWith("multipart/")) {
    if (usableBoundary(part) === null) return "text";
    return canDescend ? "multipart" : "attachment";
  }
  const body = BODY_TYPES[type];
  if (body === undefined || part.disposition === "attachment") return "attachment";
  const isFile = part.filename !== "" && !context.isRoot && !context.inAlternative;
  return isFile ? "attachment" : body;
}
