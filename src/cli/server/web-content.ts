// The content of the page's files. It is loaded when the page is first opened, which saves memory if it never is.

/** In base64, by path. Set by scripts/build.ts. */
declare const MAILKEEP_WEB_CONTENT: Readonly<Record<string, string>>;

export const contentOf = (path: string): Uint8Array<ArrayBuffer> =>
  Buffer.from(MAILKEEP_WEB_CONTENT[path] ?? "", "base64");
