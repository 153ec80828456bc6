// Finds the files that a person names: files, folders, pipes, standard input. What is in them is seen when they are read.
import { readFile, stat } from "node:fs/promises";
import { describeFailure, type MailFile } from "./mail-file.ts";
import { filesInFolder, type OnUnreadable } from "./mail-folder.ts";

export interface MailSearch {
  readonly files: readonly MailFile[];
  /** One sentence for each file or folder that could not be read. */
  readonly problems: readonly string[];
}

const STANDARD_INPUT = ["-", "/dev/stdin"];

/** What is read only once, from its beginning to its end: standard input, a pipe. */
async function fileOfStream(path: string, read: () => Promise<Uint8Array>): Promise<MailFile> {
  const content = await read();
  return { path, size: content.length, content };
}

async function filesAt(path: string, onUnreadable: OnUnreadable): Promise<MailFile[]> {
  const found = await stat(path);
  if (found.isDirectory()) return filesInFolder(path, onUnreadable);
  if (!found.isFile()) return [await fileOfStream(path, () => readFile(path))];
  return [{ path, size: found.size }];
}

export async function findMailFiles(
  given: readonly string[],
  readInput: () => Promise<Uint8Array>,
): Promise<MailSearch> {
  const files: MailFile[] = [];
  const problems: string[] = [];
  const onUnreadable = (error: unknown) => problems.push(describeFailure(error));
  for (const path of given) {
    try {
      const found = STANDARD_INPUT.includes(path)
        ? [await fileOfStream("standard input", readInput)]
        : await filesAt(path, onUnreadable);
      for (const file of found) files.push(file);
    } catch (error) {
      onUnreadable(error);
    }
  }
  return { files, problems };
}
