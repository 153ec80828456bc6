// Where log lines go: gathered for a moment, written in one piece, never in the way of the mail.
// A reader that stops reading (a full pipe) costs log lines, not mails: memory is bounded and
// the number of lost lines is told as soon as there is room.
import { write, writeSync } from "node:fs";

const MAX_PENDING_CHARS = 1 << 20;

export interface LogSink {
  write(line: string): void;
  /** Writes what is left before the process ends. */
  flush(): void;
}

export function createLogSink(fd: number): LogSink {
  let pending: string[] = [];
  let pendingChars = 0;
  let dropped = 0;
  let isWriting = false;

  const take = () => {
    if (dropped > 0) pending.push(`{"level":"warn","event":"log lines dropped","count":${dropped}}\n`);
    const text = pending.join("");
    pending = [];
    pendingChars = 0;
    dropped = 0;
    return Buffer.from(text);
  };

  const writeOut = (bytes: Buffer, from: number) => {
    write(fd, bytes, from, bytes.length - from, null, (error, written) => {
      const isBusy = error?.code === "EAGAIN";
      if (error && !isBusy) {
        isWriting = false;
        return;
      }
      const next = from + (error ? 0 : written);
      if (next < bytes.length) setTimeout(() => writeOut(bytes, next), isBusy ? 20 : 0);
      else if (pending.length > 0) writeOut(take(), 0);
      else isWriting = false;
    });
  };

  return {
    write(line) {
      if (pendingChars > MAX_PENDING_CHARS) {
        dropped++;
        return;
      }
      pending.push(line, "\n");
      pendingChars += line.length;
      if (isWriting) return;
      isWriting = true;
      setImmediate(() => writeOut(take(), 0));
    },
    flush() {
      if (pending.length === 0) return;
      try {
        writeSync(fd, take());
      } catch {
        // The reader is gone: there is nobody left to tell.
      }
    },
  };
}
