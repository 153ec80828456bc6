// Text that can be normalized in linear time. Marks on one letter are put in order one by one, which takes time by
// the square of their number: a few thousand stop everything for seconds. No language stacks as many as Unicode's
// stream-safe format allows; what is above that is left out.

const STACKED = /(\p{M}{30})\p{M}+/gu;

export const withFewMarks = (text: string): string => text.replace(STACKED, "$1");
