// The environment in which Bun runs a file of ours before the program, also before one that is compiled.
export const preloaded = (file: string): Record<string, string> => ({
  BUN_OPTIONS: `--preload ${file.replaceAll("\\", "/")}`,
});
