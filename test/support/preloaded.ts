// The environment in which Bun runs a file before the program, also before a compiled one.
export const preloaded = (file: string): Record<string, string> => ({
  BUN_OPTIONS: `--preload ${file.replaceAll("\\", "/")}`,
});
