// Output for people: text without control characters, and the progress of a long task. A terminal
// shows a bar, other outputs get a line for every 10 %.
import { CONTROL, escapeControl } from "../../lib/text.ts";
import type { IndexProgress } from "../../store/index.ts";
import type { CommandContext } from "./command.ts";

/** For text from a mail: a stranger may have put control characters in it. */
export const printable = (text: string): string => text.replace(CONTROL, "\ufffd");

/** Line ends and tabs are the only control characters that a text needs. A CR alone would hide what is before it. */
export const printableText = (text: string): string => text.replace(/\r(?!\n)|[^\r\n\t]+/g, printable);

/** A terminal gets text of a mail without control characters, a program gets it unchanged. */
export const onTerminal = (text: string): string => (process.stdout.isTTY ? printableText(text) : text);

/** JSON escapes no control characters above U+001F. */
export const jsonLine = (value: unknown): string => `${escapeControl(JSON.stringify(value))}\n`;

/** Cuts text to `width` columns of a terminal, with "…" at the end. */
export function fit(text: string, width: number): string {
  const safe = printable(text);
  if (Bun.stringWidth(safe) <= width) return safe;
  let start = "";
  for (const character of safe) {
    if (Bun.stringWidth(start + character) >= width) break;
    start += character;
  }
  return `${start}…`;
}

type Environment = CommandContext["environment"];

/** Whether the output understands escape sequences. */
export const isTerminal = (output: { readonly isTTY?: boolean }, { TERM }: Environment): boolean =>
  output.isTTY === true && TERM !== "dumb";

/** NO_COLOR asks for plain text (no-color.org). */
export const takesStyle = (output: { readonly isTTY?: boolean }, environment: Environment): boolean =>
  isTerminal(output, environment) && !environment.NO_COLOR;

export interface ProgressOptions {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** In milliseconds. */
  readonly now: () => number;
  /** If all is done before this time, nothing is shown. */
  readonly afterMs?: number;
}

export const progressOn = ({ environment, err }: CommandContext): ProgressOptions => ({
  isTerminal: isTerminal(process.stderr, environment),
  write: err,
  now: () => performance.now(),
});

export type Progress = ReturnType<typeof startProgress>;

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = "\r\x1b[K";
/** Makes the terminal cut the text at its width: CLEAR_LINE would not clear a second line. */
const onOneLine = (text: string) => `\x1b[?7l${text}\x1b[?7h`;

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}

export function startProgress({ isTerminal, write, now, afterMs = 0 }: ProgressOptions) {
  const shownFrom = now() + afterMs;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let current = "";
  let tenths = 0;
  return {
    /** `task` says what is being done: "importing". `note` is shown after the bar: "312 mails". */
    update(task: string, done: number, total: number, note = ""): void {
      if (now() < shownFrom) return;
      if (task !== current) tenths = 0;
      current = task;
      const share = total > 0 ? Math.min(1, done / total) : 1;
      const percent = `${Math.floor(share * 100)} %`;
      const rest = note && `  ${note}`;
      if (isTerminal) {
        if (share < 1 && now() - drawnAt < REDRAW_MS) return;
        drawnAt = now();
        write(`${CLEAR_LINE}${onOneLine(`${task}  ${percent.padStart(5)} ${bar(share)}${rest}`)}`);
        return;
      }
      if (Math.floor(share * 10) <= tenths) return;
      tenths = Math.floor(share * 10);
      write(`${task}: ${percent}${rest}\n`);
    },
    end(): void {
      if (isTerminal && drawnAt > Number.NEGATIVE_INFINITY) write(CLEAR_LINE);
    },
  };
}

const INDEX_TASKS: Readonly<Record<IndexProgress["index"], string>> = {
  rows: "reading the mail",
  search: "indexing the text",
};

export const showIndexProgress =
  ({ update }: Progress) =>
  ({ index, done, total }: IndexProgress): void =>
    update(INDEX_TASKS[index], done, total);
