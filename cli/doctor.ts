import { probeCluster, type Allowed, type ClusterFacts } from '../client/cluster-probes';
import type { Cluster } from '../client/find-run';
import { clusterChosen, connectCluster } from '../workers/engine';
import { checkProviders } from '../workers/models';
import { CLI_VERSION, compareVersions, installedTemporal, OLDEST_SERVER } from '../workers/temporal-binary';
import { EXIT } from './exit';
import { print } from './output';

interface Finding {
  readonly what: string;
  readonly good: boolean;
  /** True when runs work without it all the same, if not as well. */
  readonly optional?: true;
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly mend?: string;
}

/** `cupid doctor`: what was found here, and what to do about each. Returns the exit code: 1 when nothing could run. */
export async function doctor(options: { readonly json?: true; readonly profile?: string }): Promise<number> {
  const needed = [node(), ...(await temporal(options.profile))];
  const findings = [...needed, ...providers()];
  print(
    options.json === true
      ? JSON.stringify(findings, null, 2)
      : findings
          .map(
            ({ what, good, found, mend }) =>
              `${good ? 'ok ' : '-- '} ${what}: ${found}${mend === undefined ? '' : `\n     ${mend}`}`,
          )
          .join('\n'),
  );
  return needed.every(({ good, optional }) => good || optional === true) ? EXIT.done : EXIT.failed;
}

function node(): Finding {
  const oldest = '20.19.0';
  const found = process.versions.node;
  const good = compareVersions(found, oldest) >= 0;
  return { what: 'Node.js', good, found, ...(good ? {} : { mend: `Install Node.js ${oldest} or newer.` }) };
}

async function temporal(profile: string | undefined): Promise<Finding[]> {
  if (!clusterChosen(profile)) return [await embedded()];
  try {
    await using cluster = await connectCluster(profile);
    return clusterFindings(cluster, await probeCluster(cluster));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [{ what: 'Temporal', good: false, found }];
  }
}

function clusterFindings({ name, namespace }: Cluster, facts: ClusterFacts): Finding[] {
  const { version, retentionDays, updates, queueRates, visibility } = facts;
  return [
    { what: 'Temporal', good: true, found: `${name}, server ${version === '' ? 'unknown' : version}` },
    retention(namespace, retentionDays),
    {
      what: 'Workflow updates',
      ...foundOf(updates),
      ...mendOf(
        updates,
        'Runs cannot be steered, nor keep a budget, without them. Set frontend.enableUpdateWorkflowExecution to true for this namespace, or let this user update workflows.',
      ),
    },
    {
      what: 'Rates of task queues',
      optional: true,
      ...foundOf(queueRates),
      ...mendOf(
        queueRates,
        "A model's requests and tokens per minute (--rate) cannot be held without UpdateTaskQueueConfig. Let this user call it.",
      ),
    },
    {
      what: 'Lists of workflows',
      ...foundOf(visibility),
      ...mendOf(
        visibility,
        'What a run has in the engine is found by the beginning of its id. Use a visibility store that knows STARTS_WITH: SQL or Elasticsearch.',
      ),
    },
  ];
}

function retention(namespace: string, days: number | undefined): Finding {
  const what = 'Retention';
  if (days === undefined) return { what, good: true, found: 'not told' };
  const found = `${Number(days.toFixed(1))} day${days === 1 ? '' : 's'} in namespace ${namespace}`;
  if (days >= LEAST_DAYS) return { what, good: true, found };
  return {
    what,
    good: false,
    optional: true,
    found,
    mend: `At least ${LEAST_DAYS} days are recommended, to look at closed workflows in the UI: temporal operator namespace update --retention ${LEAST_DAYS * 24}h --namespace ${namespace}. Nothing is lost without: unfinished work does not age, and what failed is kept in the run's folder.`,
  };
}

/** As long as a large run takes. */
const LEAST_DAYS = 3;

function foundOf(allowed: Allowed): Pick<Finding, 'good' | 'found'> {
  return { good: allowed.yes, found: allowed.yes ? 'allowed' : `refused (${allowed.said})` };
}

function mendOf(allowed: Allowed, mend: string): Pick<Finding, 'mend'> {
  return allowed.yes ? {} : { mend };
}

async function embedded(): Promise<Finding> {
  const passedOver: string[] = [];
  const binary = await installedTemporal(passedOver);
  if (binary !== undefined) {
    return {
      what: 'Temporal server',
      good: true,
      found: `${binary.server}, ${binary.path} (${binary.origin})`,
    };
  }
  return {
    what: 'Temporal server',
    good: true,
    found: ['not installed', ...passedOver].join('; '),
    mend: `The first run downloads it (CLI ${CLI_VERSION}) or, where that fails, builds it with Go. To have it now, install the Temporal CLI with server ${OLDEST_SERVER} or newer.`,
  };
}

function providers(): Finding[] {
  return checkProviders(process.env).map(({ provider, key, problem }) => ({
    what: provider,
    good: problem === undefined,
    found: `key ${key}`,
    ...(problem === undefined ? {} : { mend: problem }),
  }));
}
