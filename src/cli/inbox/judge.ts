// Puts a question to the server and turns whatever comes back into a verdict and an exit code.
import { ExpectationError, type MailkeepError } from "../../client/index.ts";
import type { CommandContext } from "../command.ts";
import { exitCodeOf, HOLDS } from "./exit-codes.ts";
import { formatVerdict, type Verdict, type VerdictFormat } from "./verdict.ts";

export interface Question {
  readonly command: Verdict["command"];
  readonly expectation: string;
  readonly format: VerdictFormat;
  /** Answers when the expectation holds; throws the client's errors otherwise. */
  ask(): Promise<Pick<Verdict, "text" | "answer">>;
}

function failureOf(error: MailkeepError): Pick<Verdict, "result" | "text" | "answer"> {
  const { message: text, code } = error;
  if (!(error instanceof ExpectationError))
    return { result: "error", text, answer: { ok: false, error: text, code } };
  return { result: "fails", text, answer: { ok: false, ...Object(error.answer) } };
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
    return HOLDS;
  } catch (error) {
    const code = exitCodeOf(error);
    print(failureOf(error as MailkeepError));
    return code;
  }
}
