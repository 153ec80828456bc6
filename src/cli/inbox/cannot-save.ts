// What is told when mails cannot be written where they were to go.
import { MailkeepError } from "../../client/index.ts";
import { StartError } from "../command.ts";

/** The call that failed, and its path: ours may be one that nobody asked for. */
const FAILED_CALL = /, \w+(?: '.*')?$/s;

/** What the client has to say stays as it is; everything else is about the disk or a cut connection. */
export function cannotSave(path: string, error: unknown): Error {
  if (error instanceof MailkeepError) return error;
  const reason = (error as Error).message.replace(FAILED_CALL, "");
  return new StartError(`cannot save ${path}: ${reason}`, { cause: error });
}
