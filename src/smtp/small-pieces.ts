// Puts small pieces of a message together. A client may send it byte by byte, and whoever keeps a piece keeps
// an object many times its size.

/** From here on a piece is worth an object of its own. */
const LARGE_BYTES = 512;
const GATHERED_BYTES = 16 << 10;
const NOTHING = Buffer.alloc(0);

export class SmallPieces {
  #gathered: Buffer | null = null;
  #length = 0;

  /** False when the piece is to be passed on as it is. The first of a message is: it is mostly all there is. */
  take(piece: Buffer, isFirst: boolean): boolean {
    if (isFirst || piece.length >= LARGE_BYTES) return false;
    this.#gathered ??= Buffer.allocUnsafeSlow(GATHERED_BYTES);
    this.#length += piece.copy(this.#gathered, this.#length);
    return true;
  }

  get isEmpty(): boolean {
    return this.#gathered === null;
  }

  get isFull(): boolean {
    return this.#length > GATHERED_BYTES - LARGE_BYTES;
  }

  /** What has gathered; it is the caller's from now on. */
  give(): Buffer {
    const given = this.#gathered?.subarray(0, this.#length) ?? NOTHING;
    this.#gathered = null;
    this.#length = 0;
    return given;
  }

  /** What has gathered and this piece, in one. */
  giveWith(piece: Buffer): Buffer {
    return this.isEmpty ? piece : Buffer.concat([this.give(), piece]);
  }
}
