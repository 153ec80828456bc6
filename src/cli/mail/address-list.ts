// The mailboxes in a list of addresses (RFC 5322 section 3.4) as sendmail reads it: a bare word is the name of
// a local user.
import addressparser from "nodemailer/lib/addressparser";
import { withPlainCommas } from "../../lib/encoded-comma.ts";
import { isPerson, isRestOfName } from "../../lib/name-with-comma.ts";

/** Nothing that could end an SMTP command or leave its angle brackets. */
const IS_SAFE = /^[^\x00-\x1f\x7f<>]+$/;
/** One word; several are a person's name whose address is missing, and so is an encoded one. */
const IS_LOCAL_NAME = /^(?!=\?)[^\s"(),:;<>@[\]\\]+$/;

const SPECIAL = /["(),<>@]/;

function isWithinName(list: string, comma: number, member: string): boolean {
  const surname = member.split(/[:;]/).at(-1) ?? "";
  return isPerson(surname) && !SPECIAL.test(surname) && isRestOfName(list, comma + 1);
}

/** What opens something inside of what, and what closes it again. */
const CLOSERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": { '"': '"', "<": ">", "(": ")" },
  ">": { '"': '"', "(": ")" },
  ")": { "(": ")" },
};

/** What stands between the commas, without comments. Pieces of a group are for the parser. */
function membersOf(list: string): string[] {
  const members: string[] = [];
  const open: string[] = [];
  let member = "";
  for (const { 0: token, index } of list.matchAll(/\\?./gs)) {
    const inside = open.at(-1) ?? "";
    const closer = CLOSERS[inside]?.[token];
    if (closer !== undefined) open.push(closer);
    else if (token === inside) open.pop();
    if (token === "," && inside === "") {
      if (isWithinName(list, index, member)) continue;
      members.push(member);
      member = "";
    } else member += inside === ")" || closer === ")" ? " " : token;
  }
  return [...members, member];
}

const ADDRESS = `[^\\s<>(),;"@]+@[^\\s<>(),;"@]+`;
/** An address whose bracket was left open before the next: `Ann <a@x, Bob <b@x>`. */
const UNCLOSED = new RegExp(`<${ADDRESS}(?=[\\s,;][^<>"]*(?:<|$))`, "g");
/** Those that only a space or a name parts from the next: `Ann <a@x> Bob <b@x>`, `a@x b@x`. */
const WITHOUT_COMMA = new RegExp(
  `<${ADDRESS}>(?=[^<>,;"@]*<${ADDRESS})|(?<!\\S)${ADDRESS}(?=\\s+${ADDRESS}(?![^\\s,;])\\s*(?:[^<\\s]|$))`,
  "g",
);

/** `Ann <a@x>, b@x, root (Cron Daemon)`: groups are opened. Angle brackets with nothing in them name nobody. */
export const addressesIn = (list: string): string[] =>
  membersOf(withPlainCommas(list).replace(UNCLOSED, "$&>,").replace(WITHOUT_COMMA, "$&,")).flatMap((member) =>
    addressparser(member, { flatten: true })
      .map(({ address, name }) => address || (IS_LOCAL_NAME.test(name) && !member.includes("<") ? name : ""))
      .filter((address) => IS_SAFE.test(address)),
  );
