// The home folder of whoever runs us. In a container a user may have neither one nor a name.
import { homedir } from "node:os";
import { UsageError } from "./usage-error.ts";

/** `instead` completes the sentence for the person who has none. */
export function homeFolder(instead: string): string {
  try {
    return homedir();
  } catch {
    throw new UsageError(`HOME is not set, and this user has no home folder: ${instead}`);
  }
}
