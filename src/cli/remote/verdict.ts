// Turns the server's answer into an exit code, and for `wait` and `assert` into a verdict: text for
// people, JSON for programs, JUnit for CI servers.
import { ExpectationError, MailkeepError } from "../../client/index.ts";
import type { CommandContext } from "../command/command.ts";
import { jsonLine } from "../command/terminal.ts";

export const UNREACHABLE = 3;
const NOT_MET = 1;
const WRONG_USAGE = 2;

const BAD_REQUEST = 400;

/** For the help texts of `wait` and `assert`. */
export const EXIT_CODES_HELP = `Exit code: 0 expectation met, 1 not met, 2 wrong usage, 3 the server
does not answer or refuses the request.`;

/** For the help texts of other commands that use a running server, such as `list`. */
export const ASKING_EXIT_CODES = `Exit code: 0 done, 1 failed or nothing found, 2 wrong usage, 3 the server
does not answer or refuses the request.`;

/** No mail matches, or the named mail, inbox or token does not exist. */
export const NO_SUCH_MAIL = "no_such_mail";

/** The mail exists, but has no code, link or text to extract. */
export const NOTHING_TO_EXTRACT = "nothing_to_extract";

/** The client's code for a search that was not understood. */
const NOT_UNDERSTOOD = "search_not_understood";

/**
 * Rethrows errors that are not the client's. runCli prints a UsageError or a StartError; any other
 * error is a bug.
 */
function exitCodeOf(error: unknown): number {
  if (!(error instanceof MailkeepError)) throw error;
  if (error instanceof ExpectationError) return NOT_MET;
  if ([NOTHING_TO_EXTRACT, NO_SUCH_MAIL, NOT_UNDERSTOOD].includes(error.code)) return NOT_MET;
  const isOurs = error.code !== "unexpected_answer";
  return isOurs && error.status === BAD_REQUEST ? WRONG_USAGE : UNREACHABLE;
}

/** `filterOf` in settings.ts has printed the hint already. */
const withoutHint = (message: string) => message.replace(/\nHint: .*/, "");

/** Prints a failure of the client and returns its exit code. */
export async function reportFailure(
  err: (text: string) => void,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const code = exitCodeOf(error);
    err(`mailkeep: ${withoutHint((error as MailkeepError).message)}\n`);
    return code;
  }
}

export interface Verdict {
  readonly command: "wait" | "assert";
  /** "exactly 1 mail to ann@example.com" */
  readonly expectation: string;
  /** `error`: there is no answer, or it does not tell whether the expectation holds. */
  readonly result: "holds" | "fails" | "error";
  readonly text: string;
  readonly answer: object;
  readonly seconds: number;
}

export type VerdictFormat = "text" | "json" | "junit";

const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export const escapeXml = (text: string) => Bun.escapeHTML(text.replace(NOT_IN_XML, "\ufffd"));

function junit({ command, expectation, result, text, seconds }: Verdict): string {
  const time = seconds.toFixed(3);
  const counts = `tests="1" failures="${result === "fails" ? 1 : 0}" errors="${result === "error" ? 1 : 0}" time="${time}"`;
  const element = result === "fails" ? "failure" : "error";
  const [firstLine = ""] = text.split("\n");
  const problem = `\n      <${element} message="${escapeXml(firstLine)}">${escapeXml(text)}</${element}>\n    `;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="mailkeep ${command}" ${counts}>
    <testcase classname="mailkeep.${command}" name="${escapeXml(expectation)}" time="${time}">${result === "holds" ? "" : problem}</testcase>
  </testsuite>
</testsuites>
`;
}

/** JSON and JUnit always go to standard output. As text, a failure goes to standard error. */
export function formatVerdict(verdict: Verdict, format: VerdictFormat): { stdout?: string; stderr?: string } {
  const { text, answer, result } = verdict;
  if (format === "junit") return { stdout: junit(verdict) };
  if (format === "json") return { stdout: jsonLine(answer) };
  return result === "holds" ? { stdout: `✓ ${text}\n` } : { stderr: `✗ ${withoutHint(text)}\n` };
}

interface Question extends Pick<Verdict, "command" | "expectation"> {
  readonly format: VerdictFormat;
  /** Answers when the expectation holds; throws the client's errors otherwise. */
  ask(): Promise<Pick<Verdict, "text" | "answer">>;
}

export async function judge(question: Question, { out, err }: CommandContext): Promise<number> {
  const { command, expectation, format, ask } = question;
  const started = performance.now();
  const print = (verdict: Pick<Verdict, "result" | "text" | "answer">) => {
    const seconds = (performance.now() - started) / 1000;
    const { stdout, stderr } = formatVerdict({ command, expectation, seconds, ...verdict }, format);
    if (stdout) out(stdout);
    if (stderr) err(stderr);
  };
  try {
    print({ result: "holds", ...(await ask()) });
    return 0;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    const { message: text, code } = error as MailkeepError;
    if (error instanceof ExpectationError)
      print({ result: "fails", text, answer: { ok: false, ...Object(error.answer) } });
    else print({ result: "error", text, answer: { ok: false, error: text, code } });
    return exitCode;
  }
}
