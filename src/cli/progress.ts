// How far a long task has come: a bar that redraws itself on a terminal, a line every tenth otherwise.

export interface ProgressOptions {
  /** What is being done: "importing". */
  readonly task: string;
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
  /** Nothing is shown of what takes less than this. */
  readonly afterMs?: number;
}

export interface Progress {
  /** `done` of `total`; `note` is what else a person wants to know, such as "312 mails". */
  update(done: number, total: number, note?: string): void;
  /** Removes the bar, so that what is printed next stands on a clean line. */
  end(): void;
}

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = "\r\x1b[K";
/** What is too long for the terminal is cut: a second line would stay there when the first is cleared. */
const onOneLine = (text: string) => `\x1b[?7l${text}\x1b[?7h`;

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}

export function startProgress({ task, isTerminal, write, now, afterMs = 0 }: ProgressOptions): Progress {
  const shownFrom = now() + afterMs;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let tenths = 0;
  return {
    update(done, total, note = "") {
      if (now() < shownFrom) return;
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const percent = `${Math.floor(share * 100)} %`;
      const rest = note && `  ${note}`;
      if (isTerminal) {
        if (now() - drawnAt < REDRAW_MS) return;
        drawnAt = now();
        write(`${CLEAR_LINE}${onOneLine(`${task}  ${percent.padStart(5)} ${bar(share)}${rest}`)}`);
        return;
      }
      if (Math.floor(share * 10) <= tenths) return;
      tenths = Math.floor(share * 10);
      write(`${task}: ${percent}${rest}\n`);
    },
    end() {
      if (isTerminal && drawnAt > Number.NEGATIVE_INFINITY) write(CLEAR_LINE);
    },
  };
}
