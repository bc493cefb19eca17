import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Exploration, InstancePage, SourceState } from '../answers';
import {
  type Address,
  clear,
  fetchAnswer,
  getQuery,
  Place,
  useAddress,
  useAnswer,
  ViewLink,
} from '../../parts/address';
import { Failures } from './failures';
import { InstancePanel } from './instance';
import { handleKey, KEYS } from './keyboard';
import { InstanceList } from './list';
import { Overview } from './overview';
import { ChangedFiles, FailedRequest, WrongLink } from './problems';
import { KeyHelp } from '../../parts/keys';
import { Unfinished } from './unfinished';
import { Badge, Paragraph, Text, Waiting, writeOutControls } from '../../parts/text';

function Explorer() {
  const [address, navigate] = useAddress();
  const progress = useSourceState();
  const version = progress?.version ?? 0;
  const { value: exploration, error } = useAnswer<Exploration>('api/about', version);
  const { view = '' } = address;
  const isListed = view === '';
  const page = useAnswer<InstancePage>(buildListPath(address), version);
  const openedVersion = useRef<number | undefined>(undefined);
  if (exploration !== undefined && !exploration.progress.reading)
    openedVersion.current ??= exploration.progress.version;
  const help = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);

  // A layout effect takes effect at once: the next key must refer to what is shown.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => handleKey(event, { address, navigate, help: help.current });
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [address, navigate]);

  // Another list begins at its top, however far down its link was.
  useLayoutEffect(() => {
    main.current?.scrollTo(0, 0);
    main.current?.querySelector('.list')?.scrollTo(0, 0);
  }, [buildListPath(address)]);

  useEffect(() => {
    const pageName = address['instance'] ?? (isListed ? exploration?.names.join(', ') : getTitle(view));
    document.title =
      pageName === undefined ? 'cupid explore' : `${writeOutControls(pageName)} – cupid explore`;
  }, [address, exploration, isListed, view]);

  if (exploration === undefined) {
    return (
      <main>{error === undefined ? <Waiting error={undefined} /> : <FailedRequest error={error} />}</main>
    );
  }
  const isOpen = isListed && address['instance'] !== undefined;
  const isOverview = Object.keys(address).every((key) => key === 'board');
  // This link closes an open instance, because narrow pages have no room for the list beside it.
  const list = {
    view: '',
    from: address['from'] ?? '0',
    ...(isListed ? { instance: '', 'type-of': '', s: '', m: '' } : {}),
  };
  const links: (readonly [name: string, changes: Address, isCurrent: boolean])[] = [
    ['Overview', { ...clear(address), board: address['board'] ?? '' }, isOverview],
    ['Instances', list, isListed && !isOverview],
  ];
  const { failures, missing, unfinished } = exploration;
  if (unfinished > 0 || view === 'unfinished')
    links.push([
      `${TITLES.unfinished} (${unfinished})`,
      { view: 'unfinished', work: '' },
      view === 'unfinished',
    ]);
  if (failures !== undefined || missing !== undefined)
    links.push([
      `${TITLES.failures} (${(failures ?? 0) + (missing ?? 0)})`,
      { view: 'failures', work: '' },
      view === 'failures',
    ]);
  return (
    <Place.Provider value={{ address, navigate }}>
      <header>
        <p class="name">
          <strong>cupid explore</strong> <Text text={exploration.names.join(', ')} />
          {exploration.simulated && <Badge kind="warning">simulated</Badge>}
          {progress?.live === true && <Badge kind="new">in progress</Badge>}{' '}
          <span class="facts">state {exploration.snapshot}</span>
        </p>
        <nav aria-label="Views">
          {links.map(([name, changes, isCurrent]) => (
            <ViewLink key={name} to={changes} current={isCurrent && 'page'}>
              {name}
            </ViewLink>
          ))}
          <button type="button" onClick={() => help.current?.showModal()}>
            Keys
          </button>
        </nav>
      </header>
      {progress?.hasChanged === true && <ChangedFiles />}
      {exploration.warnings.map((warning) => (
        <Paragraph key={warning} kind="problem" text={warning} />
      ))}
      {isListed ? (
        <main ref={main} class={isOpen ? 'with-instance' : isOverview ? 'with-overview' : 'with-list'}>
          <InstanceList
            exploration={exploration}
            page={page.value}
            error={page.error}
            opened={openedVersion.current ?? Infinity}
            isMain={!isOpen && !isOverview}
          />
          {(isOpen || isOverview) && (
            <div class="reading" id="reading" tabIndex={0} role="region" aria-label="Instance">
              {isOpen ? (
                <InstancePanel exploration={exploration} />
              ) : (
                <Overview exploration={exploration} version={version} />
              )}
            </div>
          )}
        </main>
      ) : (
        <main class="single">
          {view === 'failures' && <Failures version={version} />}
          {view === 'unfinished' && <Unfinished isLive={progress?.live === true} />}
          {getTitle(view) === undefined && (
            <>
              <h1>Unknown view</h1>
              <WrongLink
                text={`This link names a view that does not exist: ${view}.`}
                to={clear(address)}
                place="Show the overview"
              />
            </>
          )}
        </main>
      )}
      <KeyHelp keys={KEYS} dialog={help} />
    </Place.Provider>
  );
}

/** Names of the views beside the list. */
const TITLES = { failures: 'Failures', unfinished: 'Unfinished' } as const;

function getTitle(view: string): string | undefined {
  return Object.entries(TITLES).find(([name]) => name === view)?.[1];
}

function buildListPath(address: Address): string {
  return `api/instances?${new URLSearchParams({ ...getQuery(address), from: address['from'] ?? '0' }).toString()}`;
}

/** Polls how far the sources are read, and whether they have changed. */
function useSourceState(): SourceState | undefined {
  const [state, setState] = useState<SourceState>();
  useEffect(() => {
    let isGone = false;
    let timer: number | undefined;
    const poll = async () => {
      try {
        const now = await fetchAnswer<SourceState>('api/progress');
        if (isGone) return;
        // Another page has had the new state shown, whose versions are not those of this page.
        setState((latest = now) =>
          latest.snapshot === now.snapshot ? now : { ...latest, hasChanged: true },
        );
        timer = window.setTimeout(() => void poll(), now.reading ? READING_MS : WAITING_MS);
      } catch {
        // The command has ended. The views report that at their next request.
        if (!isGone) timer = window.setTimeout(() => void poll(), WAITING_MS);
      }
    };
    void poll();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  return state;
}

const READING_MS = 700;
const WAITING_MS = 3_000;

/** Renders the page into its document. */
export function renderExplorer(): void {
  const root = document.getElementById('page');
  // Rendering would keep the text that stands there for pages without a web server.
  root?.replaceChildren();
  if (root !== null) render(<Explorer />, root);
}
