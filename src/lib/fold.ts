// Case folding by Unicode for substring and address comparison: fold both sides, then compare.

export const foldCase = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
