// An integer that may exceed 32 bits. Without the format, client generators of several languages assume 32 bits and
// fail on larger values.
import { type IntegerOptions, Type } from "@sinclair/typebox";

export const Int64 = (options: IntegerOptions) => Type.Integer({ format: "int64", ...options });
