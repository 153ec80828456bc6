// The pieces of one mail in an export. A mail that is deleted before its first piece is written is left out.

export type IsGone = (error: unknown) => Promise<boolean>;

/** Returns the result of the pieces, or null if the mail is gone. */
export async function* unlessGone<Result>(
  isGone: IsGone,
  pieces: AsyncGenerator<Uint8Array, Result, void>,
): AsyncGenerator<Uint8Array, Result | null, void> {
  let isBegun = false;
  try {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) return value;
      isBegun = true;
      yield value;
    }
  } catch (error) {
    if (isBegun || !(await isGone(error))) throw error;
    return null;
  } finally {
    await pieces.return(undefined as Result);
  }
}

/** Puts a head before the first piece. If the first piece fails, nothing was written. */
export async function* headed(
  head: Uint8Array,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? Buffer.concat([head, piece]) : piece;
    isFirst = false;
  }
  if (isFirst) yield head;
}
