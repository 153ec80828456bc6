// Version, web page and worker threads: built into the executable, or made from the source.
import manifest from "../../../package.json" with { type: "json" };
import { Checker, type CheckSettings } from "../../checks/index.ts";
import type { PageFile } from "../../http/index.ts";
import { createLogger, type Logger } from "../../lib/logger.ts";
import { createBodyParser, startScan } from "../../mime/index.ts";
import { assertFree } from "./listen.ts";

declare const MAILKEEP_COMMIT: string | undefined;

export const VERSION: string = manifest.version;
export const COMMIT: string = typeof MAILKEEP_COMMIT === "string" ? MAILKEEP_COMMIT : "development";
/** How the server names itself in SMTP, in bounces and to webhooks. */
export const SERVER_NAME = "mailkeep";

/** The files of the page, set by scripts/build.ts. Their content is in web-content.ts. */
declare const MAILKEEP_WEB_FILES: readonly Pick<PageFile, "path" | "type">[] | undefined;

interface BuiltFile extends Pick<PageFile, "path" | "type"> {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export async function loadWebFiles(): Promise<PageFile[]> {
  if (typeof MAILKEEP_WEB_FILES !== "undefined") {
    return MAILKEEP_WEB_FILES.map((file) => ({
      ...file,
      load: async () => (await import("./web-content.ts")).contentOf(file.path),
    }));
  }
  const builder: string = new URL("../../../scripts/build-web.ts", import.meta.url).href;
  const { buildWeb }: { buildWeb: () => Promise<BuiltFile[]> } = await import(builder);
  return (await buildWeb()).map(({ path, type, bytes }) => ({
    path: `/${path}`,
    type,
    load: async () => bytes,
  }));
}

type WorkerName = "check-worker" | "parse-worker" | "search-worker";

/** A thread needs about a dozen file descriptors, and some more while it starts. */
const NEEDED_DESCRIPTORS = 32;

/** In the executable a worker's path is relative to the bundle's root, not to a folder on disk. */
function startWorker(name: WorkerName): Worker {
  assertFree(NEEDED_DESCRIPTORS);
  const path = Bun.isStandaloneExecutable
    ? `./worker/${name}.js`
    : new URL(`../../worker/${name}.ts`, import.meta.url).href;
  return new Worker(path);
}

export const storeParts = (logger: Logger, now: () => Date) => ({
  startScan,
  startSearchWorker: () => startWorker("search-worker"),
  now,
  logger,
});

/** For commands that print their own results: only warnings and errors are logged. */
export const warningLogger = (write: (text: string) => void, now: () => Date): Logger =>
  createLogger({ level: "warn", format: "text", write: (line) => write(`mailkeep: ${line}\n`), now });

const WORKER_TIMEOUT_MS = 10_000;
/** Receiving a much larger result from the worker would block the main thread. */
const MAX_PARSED_BYTES = 8 * 1024 ** 2;

export const openBodyParser = () =>
  createBodyParser({
    startWorker: () => startWorker("parse-worker"),
    timeoutMs: WORKER_TIMEOUT_MS,
    maxBytes: MAX_PARSED_BYTES,
  });

export const openChecker = (settings: CheckSettings) =>
  new Checker({ startWorker: () => startWorker("check-worker"), timeoutMs: WORKER_TIMEOUT_MS, ...settings });
