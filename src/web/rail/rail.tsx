// The way to every part of the mailbox: views, recipients and tags with their counts, and where to send mail. Beside the
// list on a wide page, in a drawer on others.

import { ACTIONS, type Action, type ActionName, isOffered } from "../actions/actions.ts";
import { FLAGS, inboxAddress, MAX_FILTER_TAGS, NO_FILTER } from "../api/address.ts";
import { INBOX } from "../api/client.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { nameControls } from "../format/bidi-controls.ts";
import { hueOf } from "../format/sender.ts";
import { SmtpAddress } from "../header/top-bar.tsx";
import { inboxes, me } from "../state/access.ts";
import { closeDialog, openDialog } from "../state/layout.ts";
import { changeFilter, isFiltered, navigate, route } from "../state/route.ts";
import { recipients, seenRows } from "../state/seen.ts";
import { tags, totalCount, unreadCount } from "../state/service.ts";
import { complain } from "../state/toasts.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const MOST_RECIPIENTS = 6;
const MOST_INBOXES = 8;

export function Rail() {
  return (
    <nav class="rail" aria-label="Mailbox">
      <RailContent />
    </nav>
  );
}

export function RailDrawer() {
  return (
    <Dialog title="Mailbox" class="drawer" onClose={closeDialog}>
      <nav aria-label="Mailbox">
        <RailContent />
      </nav>
      <SmtpAddress />
    </Dialog>
  );
}

function RailContent() {
  const { filter } = route.value;
  const names = [...new Set([...filter.tags, ...tags.value.map(({ tag }) => tag)])];
  const countOf = (name: string) => tags.value.find(({ tag }) => tag === name)?.count;
  const showInbox = () => navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
  return (
    <>
      <div role="group" aria-label="Filters">
        <Entry
          icon="inbox"
          label="Inbox"
          count={totalCount.value}
          isOn={!isFiltered.value}
          onClick={showInbox}
        />
        {FLAGS.map(({ name, label, icon }) => (
          <Entry
            key={name}
            icon={icon}
            label={label}
            count={name === "unread" ? unreadCount.value : undefined}
            isOn={filter[name]}
            onClick={() => changeFilter({ [name]: !filter[name] })}
          />
        ))}
      </div>
      <Inboxes />
      {recipients.value.length > 0 && (
        <>
          <h2 class="label rail-title">Recipients{among()}</h2>
          <div role="group" aria-label="Recipients">
            {recipients.value.slice(0, MOST_RECIPIENTS).map(({ address, count }) => (
              <Entry
                key={address}
                icon="person"
                label={address}
                count={count}
                isOn={filter.q === `to:${address}`}
                onClick={() => changeFilter({ q: filter.q === `to:${address}` ? "" : `to:${address}` })}
              />
            ))}
          </div>
        </>
      )}
      {names.length > 0 && (
        <>
          <h2 class="label rail-title">Tags</h2>
          <div role="group" aria-label="Tags">
            {names.map((name) => (
              <Entry
                key={name}
                hue={hueOf(name)}
                label={name}
                count={countOf(name)}
                isOn={filter.tags.includes(name)}
                onClick={() => toggleTag(name)}
              />
            ))}
          </div>
        </>
      )}
      <h2 class="label rail-title">Server</h2>
      <div role="group" aria-label="Server">
        <ActionEntry name="faults" />
        <ActionEntry name="rejections" />
        <ActionEntry name="inboxes" />
        <ActionEntry name="tokens" />
        {me.value?.name && (
          <Entry
            icon="person"
            label={`${me.value.name} · ${me.value.role}`}
            onClick={() => openDialog("settings")}
          />
        )}
      </div>
    </>
  );
}

/** More than the newest mail is not looked at. */
const among = () =>
  seenRows.value < (totalCount.value ?? 0) ? ` among the newest ${seenRows.value.toLocaleString()}` : "";

/** The switcher: each inbox is a page of its own. All of them are in the dialog. */
function Inboxes() {
  const others = inboxes.value.filter(({ name }) => name !== INBOX);
  if (others.length < (INBOX ? 1 : 2)) return null;
  const chosen = inboxes.value.filter(({ name }) => name === INBOX);
  return (
    <>
      <h2 class="label rail-title">Inboxes</h2>
      <div role="group" aria-label="Inboxes">
        <Entry icon="inbox" label="All mail" href={inboxAddress("")} isOn={INBOX === ""} />
        {[...chosen, ...others].slice(0, MOST_INBOXES).map(({ name, messages }) => (
          <Entry
            key={name}
            icon="inbox"
            label={name}
            count={messages}
            href={inboxAddress(name)}
            isOn={name === INBOX}
          />
        ))}
      </div>
    </>
  );
}

function ActionEntry({ name }: { name: ActionName }) {
  const action: Action = ACTIONS[name];
  if (!isOffered(action)) return null;
  return <Entry icon={action.icon?.([]) ?? "info"} label={action.does} onClick={() => action.run([])} />;
}

function toggleTag(tag: string): void {
  const { tags } = route.peek().filter;
  const others = tags.filter((other) => other !== tag);
  const isAdded = others.length === tags.length;
  if (isAdded && others.length >= MAX_FILTER_TAGS) {
    complain(`The list can be filtered by ${MAX_FILTER_TAGS} tags at most`);
  } else changeFilter({ tags: isAdded ? [...others, tag] : others });
}

interface EntryProps {
  icon?: IconName;
  hue?: number;
  label: string;
  count?: number | undefined;
  /** Absent: it opens something, and is neither on nor off. */
  isOn?: boolean;
  onClick?: () => void;
  /** It leads to another page. */
  href?: string;
}

function Entry({ icon, hue, label, count, isOn, onClick, href }: EntryProps) {
  const face = (
    <>
      {icon ? <Icon name={icon} /> : <span class="tag-dot" style={{ "--hue": hue }} aria-hidden="true" />}
      <bdi class="cut grow">{nameControls(label)}</bdi>
      {count !== undefined && count > 0 && (
        <span class="hint" aria-hidden="true">
          {count.toLocaleString()}
        </span>
      )}
    </>
  );
  return href ? (
    <a class="rail-entry" title={label} href={href} {...(isOn && { "aria-current": "page" })}>
      {face}
    </a>
  ) : (
    <button type="button" class="rail-entry" title={label} aria-pressed={isOn} onClick={onClick}>
      {face}
    </button>
  );
}
