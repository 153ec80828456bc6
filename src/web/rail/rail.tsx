// The rail: filters, inboxes, recipients, tags and server dialogs, beside the list or in a drawer.
import { Fragment } from "preact";
import { ACTIONS, type Action, iconOf, isOffered } from "../actions/actions.ts";
import { FLAGS, INBOX, inboxAddress, NO_FILTER } from "../api/index.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { nameControls } from "../format/text-parts.ts";
import { hueOf } from "../format/time.ts";
import { SmtpAddress } from "../header/top-bar.tsx";
import { closeDialog, openDialog } from "../state/layout.ts";
import { changeFilter, isFiltered, navigate, route, toggled } from "../state/route.ts";
import { recipients, seenRows } from "../state/seen.ts";
import { inboxes, me, tags, totalCount, unreadCount } from "../state/service.ts";
import { Icon, type IconName } from "../ui/index.ts";

const MOST_RECIPIENTS = 6;
const MOST_INBOXES = 8;

export function Rail() {
  return (
    <nav class="fixed scroll rail" aria-label="Mailbox">
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
  return Object.entries(sections())
    .filter(([, entries]) => entries.length > 0)
    .map(([name, entries]) => (
      <Fragment key={name}>
        {name !== "Filters" && (
          <h2 class="label rail-title">
            {name}
            {name === "Recipients" && among()}
          </h2>
        )}
        <div role="group" aria-label={name}>
          {entries.map((entry) => (
            <Entry key={entry.label} {...entry} />
          ))}
        </div>
      </Fragment>
    ));
}

const among = () =>
  seenRows.value < (totalCount.value ?? 0) ? ` among the newest ${seenRows.value.toLocaleString()}` : "";

function sections(): Record<string, readonly EntryProps[]> {
  const { filter } = route.value;
  const showAll = () => navigate({ id: undefined, tab: undefined, filter: NO_FILTER });
  const label = INBOX ? `All in ${INBOX}` : "All mail";
  const names = [...new Set([...filter.tags, ...tags.value.map(({ tag }) => tag)])];
  const actions: Action[] = [ACTIONS.faults, ACTIONS.rejections, ACTIONS.inboxes, ACTIONS.tokens];
  return {
    Filters: [
      { icon: "inbox", label, count: totalCount.value, isOn: !isFiltered.value, onClick: showAll },
      ...FLAGS.map(({ name, label, icon }) => ({
        icon,
        label,
        count: name === "unread" ? unreadCount.value : undefined,
        isOn: filter.flags.includes(name),
        onClick: () => changeFilter({ flags: toggled(filter.flags, name) }),
      })),
    ],
    Inboxes: inboxEntries(),
    Recipients: [...recipients.value].slice(0, MOST_RECIPIENTS).map(([address, count]) => ({
      icon: "person",
      label: address,
      count,
      isOn: filter.to === address,
      onClick: () => changeFilter({ to: filter.to === address ? "" : address }),
    })),
    Tags: names.map((name) => ({
      label: name,
      count: tags.value.find(({ tag }) => tag === name)?.count,
      isOn: filter.tags.includes(name),
      onClick: () => changeFilter({ tags: toggled(filter.tags, name) }),
    })),
    Server: [
      ...actions.filter(isOffered).map((action) => ({
        icon: iconOf(action),
        label: action.does,
        onClick: () => action.run([]),
      })),
      ...(me.value?.name ? [{ ...MYSELF, label: `${me.value.name} · ${me.value.role}` }] : []),
    ],
  };
}

const MYSELF = { icon: "person", onClick: () => openDialog("settings") } as const;

/** "All inboxes", then some inboxes and always the chosen one. The dialog "Inboxes" lists them all. */
function inboxEntries(): EntryProps[] {
  const others = inboxes.value.filter(({ name }) => name !== INBOX);
  if (others.length < (INBOX ? 1 : 2)) return [];
  const entry = (name: string, label: string, count?: number): EntryProps => ({
    icon: "inbox",
    label,
    count,
    href: inboxAddress(name),
    isOn: name === INBOX,
  });
  const shown = inboxes.value.filter(({ name }, index) => index < MOST_INBOXES || name === INBOX);
  return [entry("", "All inboxes"), ...shown.map(({ name, messages }) => entry(name, name, messages))];
}

interface EntryProps {
  /** Undefined for a tag, which has a colour instead. */
  icon?: IconName;
  label: string;
  count?: number | undefined;
  /** Undefined if the entry opens a dialog. */
  isOn?: boolean;
  onClick?: () => void;
  href?: string;
}

function Entry({ icon, label, count, isOn, onClick, href }: EntryProps) {
  const face = (
    <>
      {icon ? <Icon name={icon} /> : <span class="tag-dot" style={{ "--hue": hueOf(label) }} aria-hidden />}
      <bdi class="cut grow">{nameControls(label)}</bdi>
      {count !== undefined && count > 0 && <span class="hint">{count.toLocaleString()}</span>}
    </>
  );
  return href ? (
    <a class="row small rail-entry" title={label} href={href} {...(isOn && { "aria-current": "page" })}>
      {face}
    </a>
  ) : (
    <button type="button" class="row small rail-entry" title={label} aria-pressed={isOn} onClick={onClick}>
      {face}
    </button>
  );
}
