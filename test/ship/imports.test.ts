// Biome enforces the layers. This test forbids circular imports among the files and subfolders of a folder.
import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

const SRC = join(import.meta.dir, "../../src");
const IMPORT = /^(?:import|export)\b[^"]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm;

/** A folder's entries (files and subfolders), each with the entries that it imports. */
type Imports = Map<string, Set<string>>;

async function importsByFolder(): Promise<Map<string, Imports>> {
  const folders = new Map<string, Imports>();
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(SRC)) {
    for (const [, named, loaded] of (await Bun.file(join(SRC, file)).text()).matchAll(IMPORT)) {
      const from = file.split("/");
      const to = normalize(join(dirname(file), named ?? loaded ?? "")).split("/");
      const depth = from.findIndex((entry, level) => entry !== to[level]);
      const [importer = "", imported = ""] = [from[depth], to[depth]];
      const folder = ["src", ...from.slice(0, depth)].join("/");
      const imports = folders.get(folder) ?? new Map();
      folders.set(folder, imports);
      imports.set(importer, (imports.get(importer) ?? new Set()).add(imported));
    }
  }
  return folders;
}

/** Removes entries that import none of the rest. Each entry left is in a circle or imports one. */
function inCircle(imports: Imports): string[] {
  const left = new Map(imports);
  const isFree = (entry: string) => ![...(left.get(entry) ?? [])].some((imported) => left.has(imported));
  for (let free = [...left.keys()].filter(isFree); free.length > 0; free = [...left.keys()].filter(isFree))
    for (const entry of free) left.delete(entry);
  return [...left.keys()].sort();
}

describe("no circle of imports", async () => {
  for (const [folder, imports] of await importsByFolder())
    test(`in ${folder}`, () => {
      expect(inCircle(imports)).toEqual([]);
    });
});
