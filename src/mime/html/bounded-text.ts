// Text written in many small pieces, up to a limit. The pieces are put together as they come: a million strings
// that wait for the end take ten times the memory of what they say.

const JOINED_CHARS = 1 << 16;

export class BoundedText {
  readonly #joined: string[] = [];
  #pieces: string[] = [];
  #pieceChars = 0;
  #room: number;
  #isFull = false;

  constructor(maxChars: number) {
    this.#room = maxChars;
  }

  /** Nothing is written any more. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Uses up so much of the room; false when it is not there. */
  takes(chars: number): boolean {
    this.#room -= chars;
    this.#isFull ||= this.#room < 0;
    return !this.#isFull;
  }

  write(piece: string): void {
    if (!this.takes(piece.length)) return;
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    if (this.#pieceChars >= JOINED_CHARS) this.#join();
  }

  toString(): string {
    this.#join();
    return this.#joined.join("");
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#pieceChars = 0;
  }
}
