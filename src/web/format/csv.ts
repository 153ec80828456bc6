// Rows of a CSV or TSV file (RFC 4180): quotes may hold separators and line breaks.

export function readCsv(text: string, mostRows: number): string[][] {
  const first = text.slice(0, text.search(/\r?\n|$/));
  const separator = ["\t", ";", ","].find((sign) => first.includes(sign)) ?? ",";
  const rows: string[][] = [[]];
  let field = "";
  let isQuoted = false;
  const endField = () => {
    rows.at(-1)?.push(field);
    field = "";
  };
  for (let at = 0; at < text.length && rows.length <= mostRows; at++) {
    const sign = text[at];
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') field += text[at++];
      else isQuoted = false;
    } else if (sign === '"' && field === "") isQuoted = true;
    else if (sign === separator) endField();
    else if (sign === "\n") {
      endField();
      rows.push([]);
    } else if (sign !== "\r") field += sign;
  }
  if (field !== "" || rows.at(-1)?.length) endField();
  return rows.filter((row) => row.length > 0).slice(0, mostRows);
}
