// The web page's files: part of the executable, or built on the spot when running from source.
import type { PageFile } from "../../http/index.ts";

/** Stamped in by scripts/build.ts: the files as JSON, their bytes in base64. */
declare const MAILKEEP_WEB_FILES: string | undefined;

interface StampedFile {
  readonly path: string;
  readonly type: string;
  readonly base64: string;
}

export async function loadWebFiles(): Promise<PageFile[]> {
  if (typeof MAILKEEP_WEB_FILES === "string") {
    const stamped: StampedFile[] = JSON.parse(MAILKEEP_WEB_FILES);
    return stamped.map(({ path, type, base64 }) => ({
      path: `/${path}`,
      type,
      bytes: Buffer.from(base64, "base64"),
    }));
  }
  const builder: string = new URL("../../../scripts/build-web.ts", import.meta.url).href;
  const { buildWeb }: { buildWeb: () => Promise<PageFile[]> } = await import(builder);
  return (await buildWeb()).map((file) => ({ ...file, path: `/${file.path}` }));
}
