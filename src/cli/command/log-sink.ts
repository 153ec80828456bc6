// Where log lines go: gathered for a moment, written in one piece, never in the way of the mail.
// A reader that stops reading (a full pipe) costs log lines, not mails: memory is bounded, and
// the number of lost lines is printed as soon as there is room.
import { write } from "node:fs";

const MAX_PENDING_LINES = 4096;
const BUSY_RETRY_MS = 20;
/** The first line after a silence is written at once; those that follow wait this long for company. */
const GATHER_MS = 20;
/** A reader that has stopped reading does not keep the process from ending. */
const FLUSH_MS = 1000;

export interface LogSink<Line> {
  write(line: Line): void;
  /** Writes the remaining lines before the process ends, after those being written. */
  flush(): Promise<void>;
}

/** `textOf` is called as late as can be, for many lines in a row. */
export function createLogSink<Line>(
  fd: number,
  textOf: (line: Line) => string,
  reportLoss: (lines: number) => void,
): LogSink<Line> {
  let pending: Line[] = [];
  let lost = 0;
  let isWriting = false;
  let written = Promise.resolve();

  const take = (): Buffer => {
    const lines = pending;
    pending = [];
    return Buffer.from(lines.map((line) => `${textOf(line)}\n`).join(""));
  };

  /** That lines were lost is one more to be written: there is room for it once the others are taken. */
  const writePending = (done: () => void) => {
    const bytes = take();
    const lines = lost;
    lost = 0;
    if (lines > 0) reportLoss(lines);
    writeFrom(bytes, 0, done);
  };

  const writeNext = () => {
    if (pending.length > 0) written = new Promise(writePending);
    else isWriting = false;
  };

  const writeFrom = (bytes: Buffer, start: number, done: () => void) => {
    write(fd, bytes, start, bytes.length - start, null, (error, count) => {
      if (error?.code === "EAGAIN") {
        setTimeout(writeFrom, BUSY_RETRY_MS, bytes, start, done);
        return;
      }
      if (!error && start + count < bytes.length) {
        writeFrom(bytes, start + count, done);
        return;
      }
      // The reader is gone for good: what it did not read is lost, and so is the rest.
      if (error) isWriting = false;
      else setTimeout(writeNext, GATHER_MS).unref();
      done();
    });
  };

  return {
    write(line) {
      if (pending.length >= MAX_PENDING_LINES) {
        lost++;
        return;
      }
      pending.push(line);
      if (isWriting) return;
      isWriting = true;
      setImmediate(writeNext);
    },
    async flush() {
      const rest = async () => {
        await written;
        while (pending.length > 0) await new Promise<void>(writePending);
      };
      await Promise.race([rest(), Bun.sleep(FLUSH_MS)]);
    },
  };
}
