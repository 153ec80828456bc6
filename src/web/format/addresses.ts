// The address lists of decoded header fields, split well enough to show and compare (RFC 5322, 3.4).
export interface Address {
  readonly name: string;
  readonly address: string;
}

export function parseAddresses(value: string): Address[] {
  return splitList(value).flatMap((text) => {
    const angle = /^(.*)<([^<>]*)>\s*$/s.exec(text);
    const name = angle ? unquote(angle[1] ?? "") : "";
    const address = (angle ? (angle[2] ?? "") : text.replace(/\([^)]*\)/g, "")).trim();
    return address === "" && name === "" ? [] : [{ name, address }];
  });
}

/** Splits at commas and semicolons that are in no quotes, comments or angle brackets. */
function splitList(value: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quoted = false;
  let depth = 0;
  for (let index = 0; index < value.length; index++) {
    const character = value[index] ?? "";
    if (character === "\\" && quoted) {
      part += character + (value[++index] ?? "");
      continue;
    }
    if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "<" || character === "(")) depth++;
    else if (!quoted && (character === ">" || character === ")")) depth = Math.max(0, depth - 1);
    if (!quoted && depth === 0 && (character === "," || character === ";")) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  parts.push(part);
  // A group's name ("team: a@x, b@x;") is no address.
  return parts.map((text) => text.replace(/^[^"<@:]*:/, "").trim()).filter((text) => text !== "");
}

function unquote(name: string): string {
  const trimmed = name.trim();
  return /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1).replace(/\\(.)/g, "$1") : trimmed;
}
