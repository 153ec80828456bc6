// Marks an answer about a message that was too much to read within the limits: it may lack something.

export const parsedHeader = ({ parsed }: { readonly parsed: boolean }): Record<string, string> =>
  parsed ? {} : { "mailkeep-parsed": "false" };
