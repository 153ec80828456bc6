// The mails in the files and folders that a person names, for commands that need all of them: a file that cannot be read
// is an error, one in a folder or zip that is no mail is skipped with a line.
import { SERVE_SETTINGS } from "../../config/index.ts";
import { createBodyParser } from "../../mime/index.ts";
import { type CommandContext, StartError } from "../command/command.ts";
import { startWorker } from "../server/bundle.ts";
import { findMailFiles, type MailFile } from "./mail-files.ts";
import { type FoundMail, readMails } from "./read-mails.ts";

export const PARSE_LIMITS = { timeoutMs: 10_000, maxBytes: 8 * 1024 ** 2 };

export const openBodyParser = () =>
  createBodyParser({ ...PARSE_LIMITS, startWorker: () => startWorker("parse-worker") });

const READING = { quoting: "rd", maxUnpackedBytes: SERVE_SETTINGS.maxMessageSize.default } as const;

export async function* mailsIn(
  paths: readonly string[],
  { input, err }: CommandContext,
  choose = (files: readonly MailFile[]) => files,
): AsyncGenerator<FoundMail & { readonly file: MailFile }> {
  const { files, problems } = await findMailFiles(paths, input);
  const [problem] = problems;
  if (problem !== undefined) throw new StartError(problem);
  let count = 0;
  for (const file of choose(files)) {
    for await (const found of readMails(file, READING)) {
      if ("problem" in found) {
        if (found.noMail === undefined || paths.includes(found.noMail)) throw new StartError(found.problem);
        err(`mailkeep: ${found.problem}\n`);
        continue;
      }
      yield { ...found, file };
      count++;
    }
  }
  if (count === 0) throw new StartError(`there is no mail in ${paths.join(", ")}`);
}
