// The header with the people it names. Addresses are told apart before anything is decoded: an encoded comma
// belongs to a name, and an encoded address within a name is no recipient.
import { MAX_FIELD_ADDRESSES, MAX_MESSAGE_HEADER_BYTES } from "../limits.ts";
import { type Address, readAddresses } from "./addresses.ts";
import { decodeHeaderText } from "./header-text.ts";
import type { Header } from "./headers.ts";
import { readFields } from "./headers.ts";

export interface AddressedHeader extends Header {
  /** Only of fields that hold addresses (RFC 5322 sections 3.6.2, 3.6.3 and 3.6.6). */
  readonly addresses?: Address[];
}

const ORIGINAL = ["from", "sender", "reply-to", "to", "cc", "bcc"];
const ADDRESS_FIELDS = new Set([...ORIGINAL, ...ORIGINAL.map((name) => `resent-${name}`)]);

export const readAddressedHeaders = (raw: Uint8Array): AddressedHeader[] =>
  readFields(raw).map(({ name, key, value }) => {
    const header = { name, value: decodeHeaderText(value) };
    if (!ADDRESS_FIELDS.has(key)) return header;
    return { ...header, addresses: readAddresses(value, MAX_FIELD_ADDRESSES, MAX_MESSAGE_HEADER_BYTES) };
  });
