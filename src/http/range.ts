// One byte range of a representation (RFC 9110, 14.2). Several ranges, or none we understand, mean the whole.

export type Range = { readonly start: number; readonly end: number } | "whole" | "unsatisfiable";

/** `end` is exclusive. */
export function readRange(header: string | null, size: number): Range {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") return suffix(Number(last), size);
  const start = Number(first);
  if (last !== "" && Number(last) < start) return "whole";
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(size, Number(last) + 1) };
}

function suffix(length: number, size: number): Range {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { start: Math.max(0, size - length), end: size };
}
