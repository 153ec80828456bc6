// An S3-compatible server for tests, from npm. It is installed on demand beside what we build: its hundred packages are
// no dependencies of ours.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./postgres.ts";

const FOLDER = join(import.meta.dir, "../dist/s3rver");
const PROGRAM = join(FOLDER, "node_modules/s3rver/bin/s3rver.js");
const PACKAGE = "s3rver@3.7.1";

export const hasS3Server = (): boolean => existsSync(PROGRAM);

export function ensureS3Server(): void {
  if (hasS3Server()) return;
  console.log(`${PACKAGE} is missing: installing it (once) …`);
  Bun.spawnSync(["npm", "install", "--silent", "--no-save", "--prefix", FOLDER, PACKAGE], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if (!hasS3Server()) console.log(`The tests with S3 are skipped: npm cannot install ${PACKAGE}.`);
}

export interface S3Server {
  /** The variables by which a client finds it. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startS3Server(folder: string, bucket: string): Promise<S3Server> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = Bun.spawn(
    [
      process.execPath,
      PROGRAM,
      "-d",
      folder,
      "-a",
      "127.0.0.1",
      "-p",
      `${port}`,
      "--configure-bucket",
      bucket,
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      break;
    await Bun.sleep(100);
  }
  return {
    environment: { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
    stop: async () => {
      server.kill();
      await server.exited;
    },
  };
}
