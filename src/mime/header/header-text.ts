// Header octets to text: raw UTF-8 where it is valid, windows-1252 where it is not (see header-charset.ts for others),
// then the encoded words of RFC 2047.
import { decodeUnlabelled } from "../charset.ts";
import { decodeWords } from "./encoded-words.ts";

const HAS_8_BIT = /[\x80-\xff]/;

/** Takes a byte string, one character an octet. */
export const decodeOctets = (octets: string): string =>
  HAS_8_BIT.test(octets) ? decodeUnlabelled(Buffer.from(octets, "latin1")) : octets;

export const decodeHeaderText = (octets: string): string => decodeWords(decodeOctets(octets));
