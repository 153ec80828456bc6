// Keeps the boundaries of the open multiparts, and finds the boundary that a line names (RFC 2046 section 5.1.1).

/** RFC 2046 section 5.1.1 allows 70, but some senders write more. */
export const MAX_BOUNDARY_BYTES = 512;
/** A longer line is not read as a delimiter. 100 bytes are left for dashes and white space. */
export const MAX_DELIMITER_BYTES = MAX_BOUNDARY_BYTES + 100;

export interface Delimiter {
  readonly level: number;
  readonly isClosing: boolean;
}

interface OpenMultipart {
  readonly boundary: string;
  /** The level of an outer multipart that has the same boundary, if there is one. */
  readonly outer: number | undefined;
  hasParts: boolean;
  /** One of its delimiters was found. */
  isNamed: boolean;
}

const DASH = 0x2d;

/** Takes linear time, even with many spaces between words. `/\s+$/` would not. */
export const trimOctetsEnd = (octets: string): string => octets.replace(/(?<![\t-\r ])[\t-\r ]+$/, "");

export class OpenBoundaries {
  readonly #open: OpenMultipart[] = [];
  readonly #levels = new Map<string, number>();

  get length(): number {
    return this.#open.length;
  }

  /** The boundary has one character for each octet, and no white space at the end. */
  push(boundary: string): void {
    this.#open.push({ boundary, outer: this.#levels.get(boundary), hasParts: false, isNamed: false });
    this.#levels.set(boundary, this.#open.length - 1);
  }

  /** Closes the innermost multipart. Returns whether one of its delimiters was found. */
  pop(): boolean {
    const multipart = this.#open.pop();
    if (!multipart) return false;
    const { boundary, outer, isNamed } = multipart;
    if (outer === undefined) this.#levels.delete(boundary);
    else this.#levels.set(boundary, outer);
    return isNamed;
  }

  startPart(level: number): void {
    const multipart = this.#open[level];
    if (multipart) multipart.hasParts = true;
  }

  /** A closing delimiter before the first part closes nothing. */
  isStrayClose({ level, isClosing }: Delimiter): boolean {
    return isClosing && this.#open[level]?.hasParts === false;
  }

  /** The line must start with a dash. Null if it names no open boundary. */
  match(data: Buffer, line: number, lineEnd: number): Delimiter | null {
    if (this.#open.length === 0 || data[line + 1] !== DASH || lineEnd - line > MAX_DELIMITER_BYTES)
      return null;
    const named = trimOctetsEnd(data.toString("latin1", line + 2, lineEnd));
    const level = this.#levels.get(named);
    if (level !== undefined) return this.#name(level, false);
    const closed = named.endsWith("--") ? this.#levels.get(named.slice(0, -2)) : undefined;
    return closed === undefined ? null : this.#name(closed, true);
  }

  #name(level: number, isClosing: boolean): Delimiter {
    const multipart = this.#open[level];
    if (multipart) multipart.isNamed = true;
    return { level, isClosing };
  }
}
