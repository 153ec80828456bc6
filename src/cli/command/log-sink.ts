// Writes log lines in batches, so that logging never delays mail. If nobody reads the pipe, lines
// beyond a limit are lost. Their number is logged when writing works again.
import { write } from "node:fs";

const MAX_PENDING_LINES = 4096;
const BUSY_RETRY_MS = 20;
/** The first line after a pause is written at once. The next lines are collected for this long. */
const GATHER_MS = 20;
/** After this time the process ends even if nobody has read the last lines. */
const FLUSH_MS = 1000;

export type LogSink = ReturnType<typeof createLogSink>;

export function createLogSink(fd: number, reportLoss: (lines: number) => void) {
  let pending: string[] = [];
  let lost = 0;
  let isWriting = false;
  let written = Promise.resolve();

  const writePending = (done: () => void) => {
    const bytes = Buffer.from(pending.map((line) => `${line}\n`).join(""));
    const lines = lost;
    pending = [];
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
      // The reader is gone or the disk is full: these lines are lost. The next write may succeed.
      if (error) isWriting = false;
      else setTimeout(writeNext, GATHER_MS).unref();
      done();
    });
  };

  return {
    write(line: string): void {
      if (pending.length >= MAX_PENDING_LINES) {
        lost++;
        return;
      }
      pending.push(line);
      if (isWriting) return;
      isWriting = true;
      setImmediate(writeNext);
    },
    async flush(): Promise<void> {
      const rest = async () => {
        await written;
        while (pending.length > 0) await new Promise<void>(writePending);
      };
      await Promise.race([rest(), Bun.sleep(FLUSH_MS)]);
    },
  };
}
