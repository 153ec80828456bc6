// What can be said about the message's quality: authentication, content and links.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AuthResults, Message } from "../../model/index.ts";
import { checkContent, checkLinks, type Finding, linksInHtml, withOthers } from "../format/checks.ts";
import { formatCount } from "../format/size.ts";
import { authResultsOf, hasTextPartOf, headersOf, linksOf } from "../state/opened.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { MailText } from "../ui/mail-text.tsx";
import { Waiting } from "../ui/waiting.tsx";

const METHODS = ["spf", "dkim", "dmarc", "arc"] as const satisfies (keyof AuthResults)[];
const VERDICT_ICONS: Record<Finding["verdict"], IconName> = { good: "check", warn: "warning", info: "info" };

export function ChecksView({ message }: { message: Message }) {
  return (
    <div class="stack checks-view">
      <Content message={message} />
      <Authentication id={message.id} />
      <Links message={message} />
    </div>
  );
}

function Content({ message }: { message: Message }) {
  const headers = headersOf.of(message.id).value;
  const text = hasTextPartOf.of(message.id).value;
  if (headers.state !== "ready") return <Waiting loaded={headers} />;
  if (text.state !== "ready") return <Waiting loaded={text} />;
  return (
    <section class="card">
      <h3>Content</h3>
      <ul class="stack">
        {checkContent(message, headers.value, text.value).map(({ verdict, title, detail }) => (
          <li key={title} class="row finding">
            <span class={`finding-sign pill-${verdict}`}>
              <Icon name={VERDICT_ICONS[verdict]} />
            </span>
            <div>
              <strong>{title}</strong>
              <p class="hint">
                <MailText text={detail} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Authentication({ id }: { id: string }) {
  const loaded = authResultsOf.of(id).value;
  if (loaded.state !== "ready") return <Waiting loaded={loaded} />;
  const results = METHODS.flatMap((method) => loaded.value[method].map((result) => ({ method, ...result })));
  return (
    <section class="card">
      <h3>Authentication</h3>
      <p class="hint">What servers on the way recorded in the header. Nothing is verified here.</p>
      {results.length === 0 && (
        <p class="hint">No SPF, DKIM, DMARC or ARC results: usual for mail straight from an application.</p>
      )}
      <ul class="auth-results">
        {results.map(({ method, status, details }, index) => (
          <li key={index}>
            <span class={`pill pill-${toneOf(status)}`}>
              {method.toUpperCase()} <b>{status}</b>
            </span>
            <bdi class="auth-details">
              <MailText text={details} />
            </bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** More than anybody reads in a row; thousands take a browser seconds to lay out. */
const MOST_LINKS = 200;

function Links({ message }: { message: Message }) {
  const showsAll = useSignal(false);
  const loaded = linksOf.of(message.id).value;
  const found = loaded.state === "ready" ? loaded.value : undefined;
  const links = useMemo(
    () => found && checkLinks(withOthers(linksInHtml(message.html_body), found)),
    [message, found],
  );
  if (!links) return <Waiting loaded={loaded} />;
  const flawed = links.filter(({ flaw }) => flaw).length;
  const shown = showsAll.value ? links : links.slice(0, MOST_LINKS);
  return (
    <section class="card">
      <h3>
        Links <span class="tab-count">{formatCount(links.length)}</span>
      </h3>
      {links.length === 0 && <p class="hint">No links in this message.</p>}
      {flawed > 0 && (
        <p class="hint">
          {formatCount(flawed)} {flawed === 1 ? "needs" : "need"} a look.
        </p>
      )}
      <ul class="links">
        {shown.map(({ href, text, count, flaw }) => (
          <li key={href}>
            <span class={`pill pill-${flaw ? "warn" : "good"}`}>{flaw ?? "fine"}</span>
            <LinkAddress href={href} />
            {text && text !== href && (
              <bdi class="hint">
                <MailText text={text} />
              </bdi>
            )}
            {count > 1 && <span class="hint">×{count}</span>}
          </li>
        ))}
      </ul>
      {shown.length < links.length && (
        <button type="button" class="link-button" onClick={() => (showsAll.value = true)}>
          and {formatCount(links.length - shown.length)} more
        </button>
      )}
    </section>
  );
}

function LinkAddress({ href }: { href: string }) {
  if (!/^https?:/i.test(href)) return <code class="link-address">{href || "(empty)"}</code>;
  return (
    <a class="link-address" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {href}
    </a>
  );
}

function toneOf(status: string): "good" | "bad" | "warn" | "info" {
  if (status === "pass") return "good";
  if (status === "fail" || status === "permerror") return "bad";
  return status === "info" || status === "none" ? "info" : "warn";
}
