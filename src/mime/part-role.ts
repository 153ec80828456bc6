// What a part is to the reader: a container, part of the body, or an attachment. It is decided by
// the part's own header and the containers around it, so the accept path and the lists agree.
import { MAX_BOUNDARY_BYTES } from "./limits.ts";
import { beforeWhite } from "./open-boundaries.ts";
import { bareContentId, OCTETS, type PartDescription } from "./part-headers.ts";

export type PartRole = "multipart" | "text" | "html" | "attachment";

export interface PartContext {
  readonly isRoot: boolean;
  /** Media type of the container, "" for the message itself. */
  readonly parentType: string;
  /** Inside a multipart/alternative, at any depth. */
  readonly inAlternative: boolean;
  /** The first part of its container. */
  readonly isFirst: boolean;
  /** The mail begins with it: so are all containers around it. */
  readonly isBeginning: boolean;
  /** Content-ID of the part that the container names as its root (RFC 2387 section 3.2); "" when it names none. */
  readonly rootId: string;
}

export const MESSAGE_CONTEXT: PartContext = {
  isRoot: true,
  parentType: "",
  inAlternative: false,
  isFirst: true,
  isBeginning: true,
  rootId: "",
};

export interface Container {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  /** Of the container itself, at any depth. */
  readonly inAlternative: boolean;
  readonly isBeginning: boolean;
}

/** The context of a part that comes after `before` others in its container. */
export const contextWithin = (container: Container, before: number): PartContext => ({
  isRoot: false,
  parentType: container.type,
  inAlternative: container.inAlternative || container.type === "multipart/alternative",
  isFirst: before === 0,
  isBeginning: before === 0 && container.isBeginning,
  rootId: bareContentId(container.params.get("start") ?? ""),
});

/** Where its container starts: with the part that it names, otherwise with the first. */
const isStart = ({ contentId }: PartDescription, { isFirst, rootId }: PartContext) =>
  isFirst || (contentId !== "" && contentId === rootId);

/** A part that others point to: neither where its container starts nor one of several versions of the body. */
const isReferenced = (part: PartDescription, context: PartContext) =>
  part.contentId !== "" && !isStart(part, context) && context.parentType !== "multipart/alternative";

/** One of several versions of the body, or what such a version, a page or the mail begins with: files may follow. */
const isVersion = (part: PartDescription, context: PartContext) =>
  context.isBeginning ||
  context.parentType === "multipart/alternative" ||
  ((context.inAlternative || context.parentType === "multipart/related") && isStart(part, context));

/** RFC 2045 section 5.2, RFC 2046 section 5.1.5; an unlabelled file is octets. */
export function effectiveType(part: PartDescription, context: PartContext): string {
  const { isRoot, parentType } = context;
  if (part.declaredType !== null) return part.declaredType;
  if (part.disposition === "attachment") return OCTETS;
  if (part.filename !== "" && !isRoot) return OCTETS;
  if (parentType === "multipart/digest") return "message/rfc822";
  return isReferenced(part, context) ? OCTETS : "text/plain";
}

const BODY_TYPES: Readonly<Record<string, "text" | "html">> = {
  "text/plain": "text",
  "text/html": "html",
};

/** Text that is made for programs: more use as a file. */
const FOR_PROGRAMS =
  /^text\/(?:(?:x-v)?calendar|(?:x-)?csv|(?:comma|tab)-separated-values|(?:x-)?vcard|directory|rfc822-headers|rtf|xml|css|javascript)$/;

/** RFC 2046 section 4.1.4: other text, such as Markdown, reads as plain text. A mail begins with it where it is no file. */
const isOtherText = (type: string, { filename }: PartDescription, context: PartContext) =>
  (context.isRoot || (context.isFirst && context.parentType === "multipart/mixed")) &&
  filename === "" &&
  type.startsWith("text/") &&
  !FOR_PROGRAMS.test(type);

const bodyKind = (type: string, part: PartDescription, context: PartContext) =>
  BODY_TYPES[type] ?? (isOtherText(type, part, context) ? "text" : undefined);

/** The octets of the boundary as they stand in delimiter lines, one character each; null when there is none to use. */
export function usableBoundary(part: PartDescription): string | null {
  const boundary = part.params.get("boundary");
  if (!boundary || boundary.length > MAX_BOUNDARY_BYTES) return null;
  const octets = Buffer.from(boundary, "utf8");
  return octets.toString("latin1", 0, beforeWhite(octets, 0, octets.length));
}

/** A multipart without a usable boundary has nothing but its text; one too deep to enter is a file. */
export function partRole(
  part: PartDescription,
  type: string,
  context: PartContext,
  canDescend: boolean,
): PartRole {
  const isMultipart = type.startsWith("multipart/");
  if (isMultipart && usableBoundary(part) !== null) return canDescend ? "multipart" : "attachment";
  const body = isMultipart ? "text" : bodyKind(type, part, context);
  if (body === undefined || part.disposition === "attachment") return "attachment";
  if (isReferenced(part, context)) return "attachment";
  const isFile = part.filename !== "" && !isVersion(part, context);
  return isFile ? "attachment" : body;
}
