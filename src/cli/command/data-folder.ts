// The folder that keeps the mail: the given one, or one in the system's place for application data.
import { join, resolve } from "node:path";
import { homeFolder, SERVE_SETTINGS } from "../../config/index.ts";
import { systemReason } from "../../lib/system-error.ts";
import { StoreError } from "../../store/index.ts";
import { type CommandContext, readSettings, StartError } from "./command.ts";

type Environment = CommandContext["environment"];

const homeOfUser = () => homeFolder("name a folder with --data-dir");

/** `home` is called only if no variable names a folder, because it throws without a home folder. */
export function defaultDataDir(os: string, environment: Environment, home = homeOfUser): string {
  if (os === "darwin") return join(home(), "Library", "Application Support", "mailkeep");
  if (os === "win32") return join(environment.LOCALAPPDATA || join(home(), "AppData", "Local"), "mailkeep");
  return join(environment.XDG_DATA_HOME || join(home(), ".local", "share"), "mailkeep");
}

export const dataFolder = (given: string | undefined, environment: Environment): string =>
  resolve(given ?? defaultDataDir(process.platform, environment));

/** The flags of commands that work on the folder of a stopped server. */
export const FOLDER_FLAGS = { dataDir: SERVE_SETTINGS.dataDir, config: SERVE_SETTINGS.config };

/** The folder that `serve` would use with the same flags, variables and file. */
export function folderOfServer(context: CommandContext): string {
  return dataFolder(readSettings(SERVE_SETTINGS, context, FOLDER_FLAGS).dataDir, context.environment);
}

/** A system error, such as a missing permission, is not a bug, so it is printed as one line. */
export function folderFailure(folder: string, error: unknown): unknown {
  if (error instanceof StoreError) return new StartError(error.message, { cause: error });
  const isRefusal = error instanceof Error && "syscall" in error;
  if (!isRefusal) return error;
  return new StartError(`${folder} cannot be used: ${systemReason(error)}`, { cause: error });
}
