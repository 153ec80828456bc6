// Runs the S3-compatible server s3rver for tests. It has about a hundred packages, so it is not a
// dependency of ours: it is installed into dist when tests need it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./postgres.ts";

const FOLDER = join(import.meta.dir, "../dist/s3rver");
const PROGRAM = join(FOLDER, "node_modules/s3rver/bin/s3rver.js");
const PACKAGE = "s3rver@3.7.1";

export const hasS3Server = (): boolean => existsSync(PROGRAM);

export async function ensureS3Server(): Promise<void> {
  if (hasS3Server()) return;
  console.log(`${PACKAGE} is missing: installing it (once) …`);
  // Without this package.json, Bun would add the package to ours.
  await Bun.write(join(FOLDER, "package.json"), "{}");
  const installing = Bun.spawn([process.execPath, "add", "--silent", PACKAGE], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "ignore"],
  });
  await installing.exited;
  if (!hasS3Server()) console.log(`The tests with S3 are skipped: ${PACKAGE} cannot be installed.`);
}

export interface S3Server {
  /** The variables that Bun's S3 client reads. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startS3Server(folder: string, bucket: string): Promise<S3Server> {
  const port = freePort();
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
  const answers = async () => (await fetch(endpoint).catch(() => null)) !== null;
  while (server.exitCode === null && !(await answers())) await Bun.sleep(50);
  return {
    environment: { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: "S3RVER", S3_SECRET_ACCESS_KEY: "S3RVER" },
    stop: async () => {
      server.kill();
      await server.exited;
    },
  };
}
