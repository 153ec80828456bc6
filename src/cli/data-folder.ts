// The folder that keeps the mail: the one given, else the platform's place for application data.
import { homedir } from "node:os";
import { resolve } from "node:path";
import { defaultDataDir } from "../config/index.ts";
import type { CommandContext } from "./command.ts";

export function dataFolder(given: string | undefined, environment: CommandContext["environment"]): string {
  return resolve(given ?? defaultDataDir({ os: process.platform, home: homedir(), environment }));
}
