// Environment variables that make Bun run a file before the program, even a compiled program.
export const preloaded = (file: string): Record<string, string> => ({
  BUN_OPTIONS: `--preload ${file.replaceAll("\\", "/")}`,
});
