// Marks a message that was too much to parse within the limits: its bodies may lack something.

export const parsedHeader = ({ parsed }: { readonly parsed: boolean }): Record<string, string> =>
  parsed ? {} : { "mailkeep-parsed": "false" };
