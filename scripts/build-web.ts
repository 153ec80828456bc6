// Builds the web page in memory: one script, one style sheet, the page that names them, the icon.
// `bun scripts/build-web.ts` writes the same files to dist/web.
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FAVICON } from "../src/web/format/favicon.ts";

export interface WebFile {
  /** Path on the server, without the leading slash. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

const web = join(import.meta.dir, "../src/web");

export async function buildWeb(): Promise<WebFile[]> {
  const build = await Bun.build({
    entrypoints: [join(web, "main.tsx")],
    target: "browser",
    minify: true,
    naming: "assets/[name]-[hash].[ext]",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const assets = await Promise.all(build.outputs.map(toFile));
  const script = assets.find(({ path }) => path.endsWith(".js"));
  const styles = assets.find(({ path }) => path.endsWith(".css"));
  if (!script || !styles || assets.length !== 2)
    throw new Error("The page must be one script and one style sheet");
  const page = (await Bun.file(join(web, "index.html")).text())
    .replace("/page.js", `/${script.path}`)
    .replace("/page.css", `/${styles.path}`);
  return [
    textFile("index.html", "text/html;charset=utf-8", page),
    script,
    styles,
    textFile("favicon.svg", "image/svg+xml", FAVICON),
  ];
}

async function toFile(output: Bun.BuildArtifact): Promise<WebFile> {
  const path = output.path.replace(/^\.?\//, "");
  const type = path.endsWith(".js") ? "text/javascript;charset=utf-8" : "text/css;charset=utf-8";
  return { path, type, bytes: new Uint8Array(await output.arrayBuffer()) };
}

function textFile(path: string, type: string, text: string): WebFile {
  return { path, type, bytes: new TextEncoder().encode(text) };
}

if (import.meta.main) {
  const folder = join(import.meta.dir, "../dist/web");
  for (const { path, bytes } of await buildWeb()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await Bun.write(join(folder, path), bytes);
    console.log(`${path} ${bytes.length} bytes, ${Bun.gzipSync(Uint8Array.from(bytes)).length} compressed`);
  }
}
