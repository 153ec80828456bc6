// The boundaries of the multiparts that are open, and which of them a line names (RFC 2046 section 5.1.1).
// Most lines of dashes name none: a hash of their octets tells so, and no string is made of them.
import { MAX_BOUNDARY_BYTES } from "./limits.ts";

/** RFC 2046 allows white space after a boundary; more than this is not taken for one. */
export const MAX_DELIMITER_BYTES = MAX_BOUNDARY_BYTES + 100;

export interface Delimiter {
  readonly level: number;
  readonly isClosing: boolean;
}

interface OpenMultipart {
  readonly boundary: string;
  readonly hash: number;
  hasParts: boolean;
  /** A delimiter of it came, if only one that closes nothing. */
  isNamed: boolean;
}

const DASH = 0x2d;

/** Nobody outside can make lines that have the hash of a boundary and are none. */
const SEED = (Math.random() * 2 ** 32) | 0;

const mix = (hash: number, octet: number) => Math.imul(hash ^ octet, 0x01000193);

const isWhite = (octet: number | undefined) =>
  octet !== undefined && (octet === 0x20 || (octet >= 0x09 && octet <= 0x0d));

/** Where white space at the end begins. */
export function beforeWhite(data: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && isWhite(data[end - 1])) end--;
  return end;
}

function hashOf(boundary: string): number {
  let hash = SEED;
  for (let at = 0; at < boundary.length; at++) hash = mix(hash, boundary.charCodeAt(at));
  return hash;
}

export class OpenBoundaries {
  readonly #open: OpenMultipart[] = [];
  /** How many open boundaries have each first byte of a hash: a line that names none is mostly told by that. */
  #counts: Uint8Array | null = null;

  get length(): number {
    return this.#open.length;
  }

  /** Takes octets, one character each, without white space at the end. */
  push(boundary: string): void {
    const hash = hashOf(boundary);
    this.#open.push({ boundary, hash, hasParts: false, isNamed: false });
    this.#count(hash, 1);
  }

  /** Answers whether a line has named it. */
  pop(): boolean {
    const multipart = this.#open.pop();
    if (multipart) this.#count(multipart.hash, -1);
    return multipart?.isNamed === true;
  }

  startPart(level: number): void {
    const multipart = this.#open[level];
    if (multipart) multipart.hasParts = true;
  }

  /** A closing delimiter before the first part closes nothing. */
  isStrayClose({ level, isClosing }: Delimiter): boolean {
    return isClosing && this.#open[level]?.hasParts === false;
  }

  /** Takes a line that starts with a dash. */
  match(data: Buffer, line: number, lineEnd: number): Delimiter | null {
    if (this.#open.length === 0 || data[line + 1] !== DASH || lineEnd - line > MAX_DELIMITER_BYTES)
      return null;
    const start = line + 2;
    const end = beforeWhite(data, start, lineEnd);
    const isClosing = end - start >= 2 && data[end - 1] === DASH && data[end - 2] === DASH;
    const bareEnd = isClosing ? end - 2 : end;
    let hash = SEED;
    let at = start;
    for (; at < bareEnd; at++) hash = mix(hash, data[at] as number);
    const bareHash = hash;
    for (; at < end; at++) hash = mix(hash, data[at] as number);
    const level = this.#find(hash, data, start, end);
    if (level >= 0) return { level, isClosing: false };
    const closed = isClosing ? this.#find(bareHash, data, start, bareEnd) : -1;
    return closed < 0 ? null : { level: closed, isClosing: true };
  }

  #count(hash: number, change: 1 | -1): void {
    this.#counts ??= new Uint8Array(256);
    this.#counts[hash >>> 24] = (this.#counts[hash >>> 24] ?? 0) + change;
  }

  /** The innermost level with this boundary, which is named by that, or -1. */
  #find(hash: number, data: Buffer, start: number, end: number): number {
    if (this.#counts?.[hash >>> 24] === 0) return -1;
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const multipart = this.#open[level];
      if (multipart?.hash !== hash || multipart.boundary !== data.toString("latin1", start, end)) continue;
      multipart.isNamed = true;
      return level;
    }
    return -1;
  }
}
