// An integer that may exceed 32 bits. Generators of clients take one without a format for 32 bits in several
// languages, and fail on the first answer that has more.
import { type IntegerOptions, Type } from "@sinclair/typebox";

export const Int64 = (options: IntegerOptions) => Type.Integer({ format: "int64", ...options });
