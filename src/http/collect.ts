// A stream of known size as one piece of memory.

export async function collect(source: ReadableStream<Uint8Array>, size: number): Promise<Blob> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of source) {
    bytes.set(chunk.subarray(0, size - filled), filled);
    filled += chunk.length;
  }
  return new Blob([bytes.subarray(0, Math.min(filled, size))]);
}
