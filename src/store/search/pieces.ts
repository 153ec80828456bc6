// A long text cut into pieces that can be indexed one by one. Neighbours overlap a little, and are cut between
// words, so that a phrase is found wherever it stands.

/** A few milliseconds of indexing, even where every character is a word. */
const PIECE_CHARS = 1 << 14;
const OVERLAP_CHARS = 1024;
/** A word that is longer than this may be cut. */
const MAX_WORD_CHARS = 512;

export class Pieces {
  #text = "";

  push(text: string): void {
    this.#text += text;
  }

  /** The next piece, when there is enough for one. */
  take(): string | null {
    if (this.#text.length < PIECE_CHARS) return null;
    const end = betweenWords(this.#text, PIECE_CHARS);
    const piece = this.#text.slice(0, end);
    this.#text = this.#text.slice(betweenWords(piece, end - OVERLAP_CHARS));
    return piece;
  }

  /** What is left. */
  finish(): string {
    return this.#text;
  }
}

/** The end of the last space before here, or here. */
function betweenWords(text: string, at: number): number {
  for (let end = at; end > at - MAX_WORD_CHARS; end--) if (isSpace(text.charCodeAt(end - 1))) return end;
  return at;
}

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
