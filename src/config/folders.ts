// The user's home folder, and the system's folder for application data.
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "./usage-error.ts";

/** In a container a user may have no home. `instead` then completes the error. */
export function homeFolder(instead: string): string {
  try {
    return homedir();
  } catch {
    throw new UsageError(`HOME is not set, and this user has no home folder: ${instead}`);
  }
}

export interface Platform {
  readonly os: string;
  /** Asked for only where nothing else names a folder: there may be none. */
  readonly home: () => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function defaultDataDir({ os, home, environment }: Platform): string {
  if (os === "darwin") return join(home(), "Library", "Application Support", "mailkeep");
  if (os === "win32") return join(environment.LOCALAPPDATA || join(home(), "AppData", "Local"), "mailkeep");
  return join(environment.XDG_DATA_HOME || join(home(), ".local", "share"), "mailkeep");
}
