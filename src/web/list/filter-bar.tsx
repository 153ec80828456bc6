// The filters as chips, with what the list holds.
import { useSignal } from "@preact/signals";
import { nameControls } from "../format/bidi-controls.ts";
import { formatCount } from "../format/size.ts";
import { MAX_FILTER_TAGS, NO_FILTER } from "../state/address.ts";
import { ids, isListed, listState } from "../state/list.ts";
import { changeFilter, isFiltered, navigate, route } from "../state/route.ts";
import { tags as knownTags, totalCount, unreadCount } from "../state/service.ts";
import { complain } from "../state/toasts.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

/** From so many on a row of chips does not show them all. */
const MANY_TAGS = 3;

export function FilterBar() {
  const showsAll = useSignal(false);
  const { filter } = route.value;
  const tags = [...new Set([...filter.tags, ...knownTags.value.map(({ tag }) => tag)])];
  const toggleTag = (tag: string) => {
    const others = filter.tags.filter((other) => other !== tag);
    const isAdded = others.length === filter.tags.length;
    if (isAdded && others.length >= MAX_FILTER_TAGS) {
      return complain(`The list can be filtered by ${MAX_FILTER_TAGS} tags at most`);
    }
    changeFilter({ tags: isAdded ? [...others, tag] : others });
  };
  return (
    <div class="filter-bar">
      <div class="filter-head">
        <h2 class="list-title">{filter.q.trim() ? "Search" : "Inbox"}</h2>
        <p class="list-count" role="status">
          <Count />
        </p>
        {isFiltered.value && (
          <button type="button" class="link-button" onClick={() => navigate({ filter: NO_FILTER })}>
            Clear
          </button>
        )}
        {tags.length >= MANY_TAGS && (
          <button
            type="button"
            class="link-button"
            aria-expanded={showsAll.value}
            onClick={() => (showsAll.value = !showsAll.value)}
          >
            {showsAll.value ? "Fewer tags" : "All tags"}
          </button>
        )}
      </div>
      <div class={showsAll.value ? "chips chips-all" : "chips"} role="group" aria-label="Filters">
        <Chip
          icon="unread"
          label="Unread"
          isOn={filter.unread}
          onClick={() => changeFilter({ unread: !filter.unread })}
        />
        <Chip
          icon="star"
          label="Starred"
          isOn={filter.starred}
          onClick={() => changeFilter({ starred: !filter.starred })}
        />
        <Chip
          icon="clip"
          label="Attachments"
          isOn={filter.attachments}
          onClick={() => changeFilter({ attachments: !filter.attachments })}
        />
        {tags.map((tag) => (
          <Chip
            key={tag}
            icon="tag"
            label={tag}
            isOn={filter.tags.includes(tag)}
            onClick={() => toggleTag(tag)}
          />
        ))}
      </div>
    </div>
  );
}

interface ChipProps {
  icon: IconName;
  label: string;
  isOn: boolean;
  onClick: () => void;
}

function Chip({ icon, label, isOn, onClick }: ChipProps) {
  return (
    <button type="button" class="chip" title={label} aria-pressed={isOn} onClick={onClick}>
      <Icon name={icon} />
      <bdi class="chip-label">{nameControls(label)}</bdi>
    </button>
  );
}

function Count() {
  if (isFiltered.value) {
    if (!isListed.value) return listState.value === "failed" ? null : <>searching …</>;
    return <>{ids.value.length === 1 ? "1 hit" : `${formatCount(ids.value.length)} hits`}</>;
  }
  if (totalCount.value === undefined) return null;
  return (
    <>
      {formatCount(totalCount.value)}
      {unreadCount.value > 0 && <span class="unread-count"> · {formatCount(unreadCount.value)} unread</span>}
    </>
  );
}
