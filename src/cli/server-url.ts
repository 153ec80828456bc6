// The setting that commands share which talk to a running server.
import { kinds, type Setting, under } from "../config/index.ts";

const url = {
  ...kinds.text,
  placeholder: "url",
  accepts: "an address such as http://127.0.0.1:8025",
  parse: (given: string) => (/^https?:\/\//i.test(given) && URL.canParse(given) ? given : undefined),
};

export const URL_SETTING: Setting<string, string> = under("Server").withDefault(
  url,
  "http://127.0.0.1:8025",
  "Address of the running server, with user:password@ where it asks for them; also MAILKEEP_URL",
);
