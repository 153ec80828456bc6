// A small release like those of `npm run release`, served over HTTP. Its executables are shell scripts.
import { pack, packageFile } from "../../scripts/release/package.ts";
import { formatSums, SUMS_FILE, sha256 } from "../../scripts/release/sums.ts";
import { TARGETS } from "../../scripts/release/targets.ts";

export const RELEASE_VERSION = "9.8.7";
const modified = new Date("2026-01-02T03:04:05Z");

export interface ServedRelease {
  readonly url: string;
  /** The bytes of the files, by name. Tests may damage them. */
  readonly files: Map<string, Uint8Array>;
  stop(): Promise<void>;
}

/** @param script The body of each executable. `$TARGET` is the platform of the executable. */
export function serveRelease(script = `echo "mailkeep ${RELEASE_VERSION} ($TARGET)"`): ServedRelease {
  const files = new Map<string, Uint8Array>();
  for (const target of TARGETS) {
    const executable = Buffer.from(`#!/bin/sh\nTARGET=${target.name}\n${script}\n`);
    const documents = { LICENSE: Buffer.from("MIT"), "README.md": Buffer.from("# Mailkeep") };
    files.set(
      packageFile(RELEASE_VERSION, target),
      pack({ target, version: RELEASE_VERSION, executable, documents }, { modified }),
    );
  }
  const sums = new Map([...files].map(([name, bytes]) => [name, sha256(bytes)]));
  files.set(SUMS_FILE, Buffer.from(formatSums(sums)));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const bytes = files.get(new URL(request.url).pathname.slice(1));
      return bytes ? new Response(Buffer.from(bytes)) : new Response("not found", { status: 404 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, files, stop: () => server.stop(true) };
}
