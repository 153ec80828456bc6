// Name, version and commit, the last stamped into the executable by scripts/build.ts.
import manifest from "../../../package.json" with { type: "json" };

declare const MAILKEEP_COMMIT: string | undefined;

export const VERSION: string = manifest.version;
export const COMMIT: string = typeof MAILKEEP_COMMIT === "string" ? MAILKEEP_COMMIT : "development";
/** The name in SMTP and HTTP. */
export const SERVER_NAME = "mailkeep";
