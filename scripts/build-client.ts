// Builds the library `mailkeep/client` and its parts for test runners into dist/client: as ES modules, as CommonJS for
// `require`, and the types. The types of the API are written out from the schemas, so that they need no package.
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as model from "../src/model/index.ts";

const root = join(import.meta.dir, "..");
const source = join(root, "src/client");

/** Files that are imported by a name of their own, such as `mailkeep/vitest`. */
export const RUNNERS = ["bun", "cypress", "jest", "playwright", "vitest"] as const;

/** The keywords of JSON Schema that the model uses. */
interface Schema {
  readonly $id?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | undefined;
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

const comment = ({ description }: Schema) => (description ? `/** ${description} */ ` : "");

/** `named` are the schemas that become types of their own. */
function typeOf(schema: Schema, named: ReadonlySet<string>): string {
  const inner = (part: Schema) => (part.$id && named.has(part.$id) ? part.$id : typeOf(part, named));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(inner).join(" | ");
  if (schema.type === "array" && schema.items) return `Array<${inner(schema.items)}>`;
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values) return `Record<string, ${inner(values)}>`;
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const mark = schema.required?.includes(name) ? "" : "?";
      return `  ${comment(field)}${name}${mark}: ${inner(field).replaceAll("\n", "\n  ")};`;
    });
    return `{\n${fields.join("\n")}\n}`;
  }
  const primitive = PRIMITIVES[schema.type ?? ""];
  if (!primitive) throw new Error(`no type for the schema ${JSON.stringify(schema)}`);
  return primitive;
}

/** `export type { Message, … } from "../model"` becomes the types themselves. */
function writeOutModel(declarations: string): string {
  const [, list = ""] = /export type \{([^}]*)\}/.exec(declarations) ?? [];
  const items = list.split(",").map((item) => item.trim());
  const names = items.filter(Boolean).map((item) => item.split(" as "));
  const schemas: Readonly<Record<string, unknown>> = model;
  const named = new Set(names.map(([name = "", alias = name]) => alias));
  const types = names.map(([name = "", alias = name]) => {
    const schema = schemas[name] as Schema | undefined;
    if (!schema) throw new Error(`the model has no schema ${name}`);
    return `export type ${alias} = ${typeOf(schema, named)};\n`;
  });
  return types.join("\n");
}

async function emitDeclarations(outDir: string): Promise<void> {
  const options = ["--declaration", "--emitDeclarationOnly", "--noEmit", "false", "--outDir", outDir];
  const config = join(outDir, "tsconfig.json");
  await Bun.write(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { rootDir: join(root, "src"), typeRoots: [join(root, "node_modules")] },
      files: ["index", ...RUNNERS].map((name) => join(source, `${name}.ts`)),
      include: [],
    }),
  );
  const tsc = join(root, "node_modules/.bin/tsc");
  const { exitCode, stdout } = Bun.spawnSync([tsc, "-p", config, ...options], { cwd: root });
  if (exitCode !== 0) throw new Error(`tsc failed: ${stdout}`);
}

const FORMATS = [
  { folder: ".", format: "esm", type: "module" },
  { folder: "commonjs", format: "cjs", type: "commonjs" },
] as const;

/** The files for test runners import the client from its own file, so that its error classes exist only once. */
const SHARED_CLIENT: Bun.BunPlugin = {
  name: "shared client",
  setup: ({ onResolve }) =>
    void onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path: "./index.js", external: true })),
};

async function bundle(outDir: string, format: "esm" | "cjs"): Promise<void> {
  const options = { outdir: outDir, target: "browser", format } as const;
  const client = await Bun.build({ ...options, entrypoints: [join(source, "index.ts")] });
  const runners = await Bun.build({
    ...options,
    entrypoints: RUNNERS.map((name) => join(source, `${name}.ts`)),
    external: ["bun:test", "vitest", "@playwright/test"],
    plugins: [SHARED_CLIENT],
  });
  const logs = [...client.logs, ...runners.logs];
  if (!client.success || !runners.success) throw new AggregateError(logs, "the client's build failed");
}

export async function buildClient(outDir: string = join(root, "dist/client")): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "mailkeep-client-"));
  try {
    await rm(outDir, { recursive: true, force: true });
    await mkdir(outDir, { recursive: true });
    await emitDeclarations(scratch);
    for (const { folder, format, type } of FORMATS) {
      const place = join(outDir, folder);
      await bundle(place, format);
      await Bun.write(join(place, "package.json"), `${JSON.stringify({ type })}\n`);
      for (const file of await readdir(join(scratch, "client"))) {
        const emitted = await Bun.file(join(scratch, "client", file)).text();
        const text = basename(file) === "types.d.ts" ? writeOutModel(emitted) : emitted;
        await Bun.write(join(place, file), text.replace(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
      }
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) await buildClient();
