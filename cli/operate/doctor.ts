import { formatCount } from '../../schemas/text/count-text';
import type { FeatureCheck, ClusterFacts } from '../../runs/drive/cluster-probes';
import type { NamedService } from '../../workers/server/connection';
import { isClusterChosen } from '../../workers/server/engine';
import { checkNamedModels, listUsesToCheck } from '../../workers/model-check';
import { checkProviders } from '../../workers/models';
import { CLI_VERSION, forecastTemporal, REMEDY } from '../../workers/server/temporal-binary';
import { compareVersions } from '../../workers/server/versions';
import { EXIT } from '../exit';
import { listFindings } from '../run/model-check';
import { printResult } from '../output';
import { getToday } from '../today';

interface Finding {
  readonly what: string;
  readonly good: boolean;
  /** True when runs work without it. */
  readonly optional?: true;
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly remedy?: string;
}

interface DoctorOptions {
  readonly json?: true;
  readonly profile?: string;
  /** SPECs of models to be called once each. */
  readonly check?: readonly string[];
}

/**
 * `cupid doctor`: checks what a run needs on this machine, and calls the models that `--check` names. Returns the exit code: 1 when no run
 * could start.
 */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const needed = [
    checkNode(),
    ...(await checkTemporal(options.profile)),
    ...(await checkModelSpecs(options.check ?? [])),
  ];
  const findings = [...needed, ...listProviderFindings()];
  printResult(options, findings, () =>
    findings.map(
      ({ what, good, found, remedy }) =>
        `${good ? 'ok ' : '-- '} ${what}: ${found}${remedy === undefined ? '' : `\n     ${remedy}`}`,
    ),
  );
  return needed.every(({ good, optional }) => good || optional === true) ? EXIT.done : EXIT.failed;
}

function checkNode(): Finding {
  const oldest = '20.19.0';
  const found = process.versions.node;
  const good = compareVersions(found, oldest) >= 0;
  return { what: 'Node.js', good, found, ...(good ? {} : { remedy: `Install Node.js ${oldest} or newer.` }) };
}

async function checkTemporal(profile: string | undefined): Promise<Finding[]> {
  if (!isClusterChosen(profile)) return [await checkEmbedded()];
  const [{ connectCluster }, { probeCluster }] = await Promise.all([
    import('../../workers/server/cluster.js'),
    import('../../runs/drive/cluster-probes.js'),
  ]);
  try {
    await using cluster = await connectCluster(profile);
    return listClusterFindings(cluster, await probeCluster(cluster));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [{ what: 'Temporal', good: false, found }];
  }
}

function listClusterFindings({ name, namespace }: NamedService, facts: ClusterFacts): Finding[] {
  const { version, retentionDays, updates, visibility } = facts;
  return [
    { what: 'Temporal', good: true, found: `${name}, server ${version === '' ? 'unknown' : version}` },
    checkRetention(namespace, retentionDays),
    {
      what: 'Workflow updates',
      ...describeAllowed(updates),
      ...getRemedy(
        updates,
        'Without them a run cannot be paused, changed or kept to a budget. Set frontend.enableUpdateWorkflowExecution to true for this namespace, or allow this user to update workflows.',
      ),
    },
    {
      what: 'Workflow lists',
      ...describeAllowed(visibility),
      ...getRemedy(
        visibility,
        "A run's workflows are found by the beginning of their ids. Use a visibility store that supports STARTS_WITH: SQL or Elasticsearch.",
      ),
    },
  ];
}

function checkRetention(namespace: string, days: number | undefined): Finding {
  const what = 'Retention';
  if (days === undefined) return { what, good: true, found: 'not reported by the cluster' };
  const found = `${formatCount(Number(days.toFixed(1)), 'day')} in namespace ${namespace}`;
  if (days >= LEAST_DAYS) return { what, good: true, found };
  return {
    what,
    good: false,
    optional: true,
    found,
    remedy: `At least ${LEAST_DAYS} days are recommended, so that the UI still shows closed workflows: temporal operator namespace update --retention ${LEAST_DAYS * 24}h --namespace ${namespace}. A shorter retention loses no data: unfinished work is kept, and failures are saved in the run folder.`,
  };
}

/** How long a large run takes. */
const LEAST_DAYS = 3;

function describeAllowed(allowed: FeatureCheck): Pick<Finding, 'good' | 'found'> {
  return { good: allowed.yes, found: allowed.yes ? 'allowed' : `rejected (${allowed.said})` };
}

function getRemedy(allowed: FeatureCheck, remedy: string): Pick<Finding, 'remedy'> {
  return allowed.yes ? {} : { remedy };
}

/** Whether a run on the embedded server would start, and how it would get the server. */
async function checkEmbedded(): Promise<Finding> {
  const { from, binary, tried } = await forecastTemporal();
  const found = {
    installed: binary === undefined ? '' : `${binary.server}, ${binary.path} (${binary.origin})`,
    download: `not installed. The first run downloads it (CLI ${CLI_VERSION})`,
    build: `not installed. The first run builds it with Go (CLI ${CLI_VERSION}), which takes about five minutes`,
    nowhere: 'none can be used, downloaded or built',
  }[from];
  return {
    what: 'Temporal server',
    good: from !== 'nowhere',
    found: [found, ...tried].join('\n     '),
    ...(from === 'nowhere' ? { remedy: REMEDY } : {}),
  };
}

async function checkModelSpecs(specs: readonly string[]): Promise<Finding[]> {
  const uses = specs.map((spec) => ({ spec, asking: { temperature: 0 } }));
  const checked = await checkNamedModels(listUsesToCheck(uses), {
    environment: process.env,
    signal: new AbortController().signal,
    today: getToday(),
  });
  const called = checked.map((model): Finding => {
    const { failures, warnings } = listFindings([model]);
    const remedy = [...failures, ...warnings].join(' ');
    return {
      what: model.spec,
      ...('kind' in model.outcome
        ? { good: false, found: `no answer (${model.outcome.kind})` }
        : { good: true, found: `answered in ${model.milliseconds} ms` }),
      // A retryable problem does not keep a run from starting.
      ...(failures.length === 0 ? ({ optional: true } as const) : {}),
      ...(remedy === '' ? {} : { remedy }),
    };
  });
  const local = specs.filter((spec) => !checked.some((model) => model.spec === spec));
  return [...called, ...local.map((what) => ({ what, good: true, found: 'needs no check' }))];
}

function listProviderFindings(): Finding[] {
  return checkProviders(process.env).map(({ provider, key, problem }) => ({
    what: provider,
    good: problem === undefined,
    found: `key ${key}`,
    ...(problem === undefined ? {} : { remedy: problem }),
  }));
}
