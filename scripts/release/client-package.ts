// The client library as a package that npm and Bun install from the release's address. Run as a
// script, it packs the library into dist.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import project from "../../package.json" with { type: "json" };
import { buildClient, RUNNERS } from "../build-client.ts";
import type { ArchiveOptions } from "./archive-entry.ts";
import { tarGz } from "./tar.ts";

export const CLIENT_PACKAGE = "mailkeep-client.tgz";

function manifest(): string {
  const { name, version, description, license, type, engines } = project;
  const { bun: _, ...client } = project.exports["./client"];
  const runner = (name: string): typeof client =>
    JSON.parse(JSON.stringify(client).replaceAll("/index.", `/${name}.`));
  const entries = { client, ...Object.fromEntries(RUNNERS.map((name) => [name, runner(name)])) };
  const exports = Object.fromEntries(Object.entries(entries).map(([name, files]) => [`./${name}`, files]));
  // For TypeScript with `moduleResolution: node10`, which ignores `exports`.
  const types = Object.entries(entries).map(([name, files]) => [name, [files.types]]);
  const typesVersions = { "*": Object.fromEntries(types) };
  const about = { name, version, description, license, type, engines, exports, typesVersions };
  return `${JSON.stringify(about, null, 2)}\n`;
}

export async function clientPackage(license: Uint8Array, options: ArchiveOptions): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "mailkeep-client-package-"));
  try {
    await buildClient(folder);
    const files = [...new Bun.Glob("**/*").scanSync(folder)].map((file) => file.replaceAll("\\", "/")).sort();
    const built = files.map(async (file) => ({
      path: `package/dist/client/${file}`,
      bytes: await Bun.file(join(folder, file)).bytes(),
      isExecutable: false,
    }));
    const entries = [
      { path: "package/package.json", bytes: Buffer.from(manifest()), isExecutable: false },
      { path: "package/LICENSE", bytes: license, isExecutable: false },
      ...(await Promise.all(built)),
    ];
    return tarGz(entries, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const root = join(import.meta.dir, "../..");
  const license = await Bun.file(join(root, "LICENSE")).bytes();
  await Bun.write(join(root, "dist", CLIENT_PACKAGE), await clientPackage(license, { modified: new Date() }));
}
