// Unicode's bidirectional controls let a text pretend: with U+202E "report\u{202e}fdp.exe" reads "reportexe.pdf".
// Mail is shown without their effect and with their names. The plain marks (LRM, RLM, ALM) only help and stay.
const NAMES: Readonly<Record<string, string>> = {
  "\u202a": "LRE",
  "\u202b": "RLE",
  "\u202c": "PDF",
  "\u202d": "LRO",
  "\u202e": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
};

export interface ControlPiece {
  readonly text: string;
  readonly control?: string;
}

const ANY = /[\u202a-\u202e\u2066-\u2069]/;

export function splitControls(text: string): ControlPiece[] {
  if (!ANY.test(text)) return [{ text }];
  return text
    .split(/([\u202a-\u202e\u2066-\u2069])/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const control = NAMES[piece];
      return control ? { text: "", control } : { text: piece };
    });
}

/** For places that take no elements: hints, names, the window's title. */
export function nameControls(text: string): string {
  return splitControls(text)
    .map(({ text, control }) => (control ? `[${control}]` : text))
    .join("");
}
