// A part of a stream: skips to `start`, ends at `end`, and lets the source go then.

export function sliceStream(
  source: ReadableStream<Uint8Array>,
  start: number,
  end: number,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let position = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        const from = Math.max(0, start - position);
        const to = Math.min(value.length, end - position);
        position += value.length;
        if (from < to) controller.enqueue(value.subarray(from, to));
        if (position >= end) {
          controller.close();
          return reader.cancel();
        }
        if (from < to) return;
      }
    },
    cancel: () => reader.cancel(),
  });
}
