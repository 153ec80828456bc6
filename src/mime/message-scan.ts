// The scan of the accept path: subject and whether there are attachments, nothing else, while
// the bytes stream by. It stops looking at the first attachment.
import { fieldFilter, splitHeaderBlock } from "./header/header-block.ts";
import { readSubject } from "./header/subject.ts";
import { DESCRIBING_FIELDS, describePart } from "./part-headers.ts";
import {
  type Container,
  contextWithin,
  effectiveType,
  MESSAGE_CONTEXT,
  partRole,
  usableBoundary,
} from "./part-role.ts";
import { type PartVisitor, PartWalker } from "./part-walker.ts";

export interface MessageScan {
  push(chunk: Uint8Array): void;
  finish(): { subject: string; has_attachments: boolean };
}

const MESSAGE_FIELDS = fieldFilter(...DESCRIBING_FIELDS, "subject");
const PART_FIELDS = fieldFilter(...DESCRIBING_FIELDS);

interface OpenContainer extends Container {
  parts: number;
}

class FactFinder implements PartVisitor, MessageScan {
  readonly #walker = new PartWalker(this);
  /** What is open: containers, and null for a leaf. */
  readonly #open: (OpenContainer | null)[] = [];
  #isRoot = true;
  #subject = "";
  #hasAttachments = false;

  push(chunk: Uint8Array): void {
    this.#walker.push(chunk);
  }

  finish() {
    this.#walker.finish();
    return { subject: this.#subject, has_attachments: this.#hasAttachments };
  }

  open(block: string, _bodyStart: number, canDescend: boolean): string | null {
    const fields = splitHeaderBlock(block, this.#isRoot ? MESSAGE_FIELDS : PART_FIELDS);
    if (this.#isRoot) this.#subject = readSubject(fields);
    this.#isRoot = false;
    const parent = this.#open.at(-1);
    const context = parent ? contextWithin(parent, parent.parts++) : MESSAGE_CONTEXT;
    const part = describePart(fields);
    const type = effectiveType(part, context);
    const role = partRole(part, type, context, canDescend);
    if (role === "attachment") {
      this.#hasAttachments = true;
      this.#walker.stop();
    }
    if (role !== "multipart") {
      this.#open.push(null);
      return null;
    }
    const { inAlternative, isBeginning } = context;
    this.#open.push({ type, params: part.params, inAlternative, isBeginning, parts: 0 });
    return usableBoundary(part);
  }

  close(): void {
    this.#open.pop();
  }

  exceeded(): void {}
}

export const startScan = (): MessageScan => new FactFinder();
