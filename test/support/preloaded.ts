// The environment in which Bun runs a file before the program, even before a compiled one.
export const preloaded = (file: string): Record<string, string> => ({
  BUN_OPTIONS: `--preload ${file.replaceAll("\\", "/")}`,
});
