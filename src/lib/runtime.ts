// Functions around the runtime: a fast test for ASCII, turns of the event loop, time limits, streams.

/** Many times faster than a regular expression if the text is long. */
export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Lets other work of the event loop run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Rejects with the error that `late` makes if there is no answer in time. */
export async function inTime<Answer>(asked: Promise<Answer>, ms: number, late: () => Error): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Takes bytes from the generator only when the reader asks for them, and ends it when the reader cancels. */
export function streamOf(source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await source.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
