// Bodies of large messages: one file each, read in pieces so that memory stays flat.
import { close, open, read } from "node:fs";
import { promisify } from "node:util";

const READ_BYTES = 256 << 10;
const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read) as unknown as (
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesRead: number }>;

export function streamLargeBody(path: string, start: number, end: number): ReadableStream<Uint8Array> {
  let fd = -1;
  let at = start;
  const finish = async () => {
    if (fd >= 0) await closeFile(fd);
    fd = -1;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (fd < 0 && at < end) fd = await openFile(path, "r");
        const bytes = await readAt(fd, at, Math.min(READ_BYTES, end - at));
        at += bytes.length;
        if (bytes.length > 0) controller.enqueue(bytes);
        if (at < end && bytes.length > 0) return;
        await finish();
        if (at < end) controller.error(new Error(`${path} is shorter than it was`));
        else controller.close();
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
}

async function readAt(fd: number, at: number, length: number): Promise<Uint8Array> {
  if (length <= 0) return new Uint8Array();
  const buffer = new Uint8Array(length);
  const { bytesRead } = await readFile(fd, buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}
