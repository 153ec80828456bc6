// `npm run build`: compiles the executable for this platform into dist/mailkeep.
// The web page and the commit are built into it.
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatSize } from "../src/lib/numbers.ts";
import { buildClient } from "./build-client.ts";
import { buildWeb } from "./build-web.ts";
import { isSigned, signAdHoc } from "./release/mach-o.ts";

const root = join(import.meta.dir, "..");

export interface BuildOptions {
  readonly outfile: string;
  /** A target of `bun build --compile`; this platform when absent. */
  readonly target?: Bun.Build.CompileTarget;
}

function commit(): string {
  const { stdout, exitCode } = Bun.spawnSync(["git", "rev-parse", "--short=12", "HEAD"], { cwd: root });
  return exitCode === 0 ? stdout.toString().trim() : "unknown";
}

async function webDefines(): Promise<Record<string, string>> {
  const files = await buildWeb();
  const content = files.map(({ path, bytes }) => [`/${path}`, Buffer.from(bytes).toString("base64")]);
  return {
    MAILKEEP_WEB_FILES: JSON.stringify(files.map(({ path, type }) => ({ path: `/${path}`, type }))),
    MAILKEEP_WEB_CONTENT: JSON.stringify(Object.fromEntries(content)),
  };
}

/** Replaces a wrong signature, because macOS would end the process. */
async function sign(path: string): Promise<void> {
  const executable = await Bun.file(path).bytes();
  if (!isSigned(executable)) await Bun.write(path, signAdHoc(executable, "mailkeep"));
}

/** Workers are separate entry points. The executable finds them by their path below src/. */
export async function buildExecutable({ outfile, target }: BuildOptions): Promise<void> {
  await mkdir(join(root, "dist"), { recursive: true });
  const entrypoints = [
    "main.ts",
    "worker/check-worker.ts",
    "worker/parse-worker.ts",
    "worker/search-worker.ts",
  ];
  const result = await Bun.build({
    entrypoints: entrypoints.map((file) => join(root, "src", file)),
    root: join(root, "src"),
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    // Stores the code that workers share with the main thread only once.
    splitting: true,
    define: {
      MAILKEEP_COMMIT: JSON.stringify(commit()),
      ...(await webDefines()),
      "process.env.NODE_ENV": JSON.stringify("production"),
    },
    compile: { outfile, ...(target && { target }), autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  if ((target ?? process.platform).includes("darwin")) await sign(outfile);
}

if (import.meta.main) {
  const started = performance.now();
  const outfile = join(root, "dist", process.platform === "win32" ? "mailkeep.exe" : "mailkeep");
  await buildExecutable({ outfile });
  await buildClient();
  const { size } = await stat(outfile);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`dist/mailkeep: ${formatSize(size)}, built in ${seconds} s`);
}
