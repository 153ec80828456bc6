// Temp folders of one test file, removed after each test.
import { afterEach } from "bun:test";
import { tempFolder } from "./open.ts";

export function useFolders(): () => string {
  const folders: ReturnType<typeof tempFolder>[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });
  return () => {
    const folder = tempFolder();
    folders.push(folder);
    return folder.path;
  };
}
