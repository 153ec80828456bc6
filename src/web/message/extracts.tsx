// The codes and the most useful links of a message as chips, ready to copy or open: most visits need nothing else.
import type { MessageLink } from "../../model/index.ts";
import { nameControls } from "../format/bidi-controls.ts";
import { codesOf, linksOf } from "../state/opened.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";

const MOST_CODES = 2;
const MOST_LINKS = 2;

/** The purposes that people look for, most wanted first. */
const ROLES: Readonly<Record<string, string>> = {
  verify: "Confirm",
  "reset-password": "Reset password",
  "sign-in": "Sign in",
  "view-online": "View online",
};

export function Extracts({ id }: { id: string }) {
  const codes = codesOf.of(id).value;
  const links = linksOf.of(id).value;
  const shownCodes = codes.state === "ready" ? codes.value.codes.slice(0, MOST_CODES) : [];
  const shownLinks = links.state === "ready" ? usefulLinks(links.value.links) : [];
  if (shownCodes.length + shownLinks.length === 0) return null;
  return (
    <ul class="row wrap" aria-label="Codes and links">
      {shownCodes.map(({ code, context }) => (
        <li key={code} class="chip extract" title={nameControls(context)}>
          <code>{code}</code>
          <CopyButton text={code} label={`Copy code ${code}`} />
        </li>
      ))}
      {shownLinks.map(({ url, label }) => (
        <li key={url} class="chip extract">
          <a class="row" href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
            <Icon name="open" />
            <bdi>{nameControls(label)}</bdi>
          </a>
          <CopyButton text={url} label={`Copy link ${nameControls(label)}`} />
        </li>
      ))}
    </ul>
  );
}

function usefulLinks(links: readonly MessageLink[]): { url: string; label: string }[] {
  const openable = links.filter(({ url, where }) => where !== "headers" && /^https?:/i.test(url));
  const byRole = Object.entries(ROLES).flatMap(([role, label]) =>
    openable.filter(({ rel }) => rel.includes(role)).map(({ url }) => ({ url, label })),
  );
  const [first] = openable.filter(({ rel }) => rel.length === 0);
  const other =
    first && byRole.length === 0 ? [{ url: first.url, label: first.text || hostOf(first.url) }] : [];
  return [...new Map([...byRole, ...other].map((link) => [link.url, link])).values()].slice(0, MOST_LINKS);
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);
