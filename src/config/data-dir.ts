// The platform's place for application data.
import { join } from "node:path";

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
