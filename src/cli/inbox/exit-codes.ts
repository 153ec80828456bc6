// What a client command's end means to the shell.
import { ExpectationError, MailkeepError } from "../../client/index.ts";

export const HOLDS = 0;
export const NOT_MET = 1;
export const USAGE = 2;
export const UNREACHABLE = 3;

const BAD_REQUEST = 400;

/** The help text of commands that ask a server. */
export const EXIT_CODES_HELP = `Exit code: 0 it holds, 1 it does not, 2 wrong usage, 3 no Mailkeep
answers, or it refuses.`;

/** The mail is there, but not what was to be taken out of it. */
export const NOTHING_TO_EXTRACT = "nothing_to_extract";

/** Only an answer of a Mailkeep says that something is not met. Throws what is no answer of the client: a bug. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof MailkeepError)) throw error;
  if (error instanceof ExpectationError || error.code === NOTHING_TO_EXTRACT) return NOT_MET;
  const isOurs = error.code !== "unexpected_answer";
  return isOurs && error.status === BAD_REQUEST ? USAGE : UNREACHABLE;
}

/** Runs the work; a failure of the client becomes one line and an exit code. */
export async function reportFailure(
  err: (text: string) => void,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const code = exitCodeOf(error);
    err(`mailkeep: ${(error as MailkeepError).message}\n`);
    return code;
  }
}
