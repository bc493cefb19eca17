import type { Address, Navigate } from '../../parts/address';

/** The keys, as the help lists them. */
export const KEYS = [
  ['j, ↓', 'next instance of the list'],
  ['k, ↑', 'previous instance of the list'],
  ['Enter', 'open the instance'],
  ['n, p', 'open the next or the previous instance; at the end of a page: turn it'],
  [']  [', 'next or previous session'],
  ['/', 'search in messages'],
  ['Esc', 'back to the list; press again to close the instance'],
  ['?', 'these keys'],
] as const;

interface KeyboardContext {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly help: HTMLDialogElement | null;
}

/** Runs the action of a key, unless the user is typing in an input. */
export function handleKey(event: KeyboardEvent, { address, navigate, help }: KeyboardContext): void {
  if (event.ctrlKey || event.metaKey || event.altKey || help?.open === true) return;
  // Escape closes an explanation, and only that.
  if (document.querySelector(':popover-open') !== null) return;
  const focused = document.activeElement;
  const isTyping = focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement;
  if (event.key === 'Escape') {
    if (focused?.closest('.rows') === null || focused === null) focusRow(findOpenRow() ?? listRows()[0]);
    else navigate({ instance: '', 'type-of': '', s: '', m: '' });
    return;
  }
  if (isTyping) return;
  const isInList = focused === document.body || focused?.closest('.list') !== null;
  const act = ACTIONS[event.key];
  if (act === undefined || (event.key.startsWith('Arrow') && !isInList)) return;
  event.preventDefault();
  act({ address, navigate, help });
}

const ACTIONS: Readonly<Record<string, (place: KeyboardContext) => void>> = {
  j: () => moveFocus(1),
  ArrowDown: () => moveFocus(1),
  k: () => moveFocus(-1),
  ArrowUp: () => moveFocus(-1),
  n: () => openOther(1),
  p: () => openOther(-1),
  ']': (place) => moveSession(place, 1),
  '[': (place) => moveSession(place, -1),
  '/': () => {
    const search = document.getElementById('search');
    if (search instanceof HTMLInputElement) {
      search.focus();
      search.select();
    }
  },
  '?': ({ help }) => help?.showModal(),
};

function listRows(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('.rows a')];
}

function findOpenRow(): HTMLAnchorElement | undefined {
  return listRows().find((row) => row.hasAttribute('aria-current'));
}

function focusRow(row: HTMLAnchorElement | undefined): void {
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

function moveFocus(by: number): void {
  const rows = listRows();
  const at = rows.findIndex((row) => row === document.activeElement);
  const from = at >= 0 ? at : rows.findIndex((row) => row.hasAttribute('aria-current'));
  const next = findOther(rows, from, by);
  if (next !== undefined) focusRow(next);
  else turnPage(by);
}

function openOther(by: number): void {
  const rows = listRows();
  const next = findOther(
    rows,
    rows.findIndex((row) => row.hasAttribute('aria-current')),
    by,
  );
  if (next !== undefined) next.click();
  else turnPage(by);
}

/** Finds the row beside one. If that row is not on the page, returns the first or the last. */
function findOther(
  rows: readonly HTMLAnchorElement[],
  from: number,
  by: number,
): HTMLAnchorElement | undefined {
  if (from < 0) return by > 0 ? rows[0] : rows.at(-1);
  return rows[from + by];
}

/** Opens the next or previous page, for keys that lead beyond the last or first row. */
function turnPage(by: number): void {
  document.querySelector<HTMLAnchorElement>(by > 0 ? 'a[rel=next]' : 'a[rel=prev]')?.click();
}

function moveSession({ address, navigate }: KeyboardContext, by: number): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sessions a')];
  const open = links.findIndex((link) => link.hasAttribute('aria-current'));
  if (address['instance'] === undefined || links[open + by] === undefined) return;
  navigate({ s: String(open + by + 1), m: '' }, 'replace');
}
