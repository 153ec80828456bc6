// Patterns in which `*` stands for anything, compared without regard to case.

export function wildcard(pattern: string): (text: string) => boolean {
  const expression = new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "isu");
  return (text) => expression.test(text);
}
