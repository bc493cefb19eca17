import * as z from 'zod';
import { LIBRARY_REMEDY, OLDEST_GLIBC } from '../../data/store/explain-error';
import { listLowLimits, readLimits } from '../../data/store/machine-limits';
import { getToday } from '../../engine/model-facts/dates';
import { formatCount } from '../../schemas/text/count-text';
import { checkNamedModels, listUsesToCheck } from '../../workers/model-check';
import { checkProviders } from '../../workers/models';
import type { NamedService } from '../../workers/server/connection';
import { isClusterChosen } from '../../workers/server/engine';
import {
  CLI_VERSION,
  forecastTemporal,
  REMEDY,
  type TemporalBinary,
} from '../../workers/server/temporal-binary';
import { compareVersions } from '../../workers/server/versions';
import { listFindings } from '../plan/model-findings';
import type { ClusterFacts, FeatureCheck } from './cluster-probes';

/** A requirement or an option of runs, as found on this machine. */
export interface DoctorFinding {
  readonly name: string;
  readonly good: boolean;
  /** True when runs work without it. */
  readonly optional?: true;
  readonly detail: string;
  /** Remedy; absent when there is nothing to do. */
  readonly remedy?: string;
}

/**
 * Checks the requirements of a run on this machine: Node.js, the C library, limits of the shell, its engine, these models, which are called once each, and the keys of
 * providers.
 */
export async function checkMachine(
  profile: string | undefined,
  models: readonly string[],
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly canStart: boolean }> {
  const needed = [
    checkNode(),
    ...checkLibrary(),
    ...checkLimits(),
    ...(await checkTemporal(profile)),
    ...(await checkModelSpecs(models)),
  ];
  return {
    findings: [...needed, ...listProviderFindings()],
    canStart: needed.every(({ good, optional }) => good || optional === true),
  };
}

function checkNode(): DoctorFinding {
  const oldest = '20.19.0';
  const version = process.versions.node;
  const good = compareVersions(version, oldest) >= 0;
  return {
    name: 'Node.js',
    good,
    detail: version,
    ...(good ? {} : { remedy: `Install Node.js ${oldest} or newer.` }),
  };
}

/** Checks the C library, which Temporal's native part needs: glibc, not musl. */
function checkLibrary(): DoctorFinding[] {
  if (process.platform !== 'linux') return [];
  const version = reportSchema.parse(process.report.getReport()).header.glibcVersionRuntime;
  const good = version !== undefined && compareVersions(version, OLDEST_GLIBC) >= 0;
  const description = version === undefined ? 'not glibc' : `glibc ${version}`;
  return [{ name: 'C library', good, detail: description, ...(good ? {} : { remedy: LIBRARY_REMEDY }) }];
}

const reportSchema = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

function checkLimits(): DoctorFinding[] {
  const low = listLowLimits(readLimits());
  if (low.length > 0) return low.map((limit) => ({ ...limit, good: false }));
  return [{ name: 'Limits', good: true, detail: 'memory, files and processes are not limited too low' }];
}

async function checkTemporal(profile: string | undefined): Promise<DoctorFinding[]> {
  if (!isClusterChosen(profile)) return [await checkEmbedded()];
  const [{ connectCluster }, { probeCluster }] = await Promise.all([
    import('../../workers/server/cluster.js'),
    import('./cluster-probes.js'),
  ]);
  try {
    await using cluster = await connectCluster(profile);
    return listClusterFindings(cluster, await probeCluster(cluster));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ name: 'Temporal', good: false, detail: reason }];
  }
}

function listClusterFindings({ name, namespace }: NamedService, facts: ClusterFacts): DoctorFinding[] {
  const { version, retentionDays, updates, visibility } = facts;
  return [
    { name: 'Temporal', good: true, detail: `${name}, server ${version === '' ? 'unknown' : version}` },
    checkRetention(namespace, retentionDays),
    {
      name: 'Workflow updates',
      ...describeAllowed(updates),
      ...getRemedy(
        updates,
        'Without them a run cannot be paused, changed or kept to a budget. Set frontend.enableUpdateWorkflowExecution to true for this namespace, or allow this user to update workflows.',
      ),
    },
    {
      name: 'Workflow lists',
      ...describeAllowed(visibility),
      ...getRemedy(
        visibility,
        "A run's workflows are found by the beginning of their ids. Use a visibility store that supports STARTS_WITH: SQL or Elasticsearch.",
      ),
    },
  ];
}

function checkRetention(namespace: string, days: number | undefined): DoctorFinding {
  const topic = 'Retention';
  if (days === undefined) return { name: topic, good: true, detail: 'not reported by the cluster' };
  const period = `${formatCount(Number(days.toFixed(1)), 'day')} in namespace ${namespace}`;
  if (days >= LEAST_DAYS) return { name: topic, good: true, detail: period };
  return {
    name: topic,
    good: false,
    optional: true,
    detail: period,
    remedy: `At least ${LEAST_DAYS} days are recommended, so that the UI still shows closed workflows: temporal operator namespace update --retention ${LEAST_DAYS * 24}h --namespace ${namespace}. A shorter retention loses no data: unfinished work is kept, and failures are saved in the run folder.`,
  };
}

/** Duration of a large run. */
const LEAST_DAYS = 3;

function describeAllowed(allowed: FeatureCheck): Pick<DoctorFinding, 'good' | 'detail'> {
  return {
    good: allowed.isSupported,
    detail: allowed.isSupported ? 'allowed' : `rejected (${allowed.reason})`,
  };
}

function getRemedy(allowed: FeatureCheck, remedy: string): Pick<DoctorFinding, 'remedy'> {
  return allowed.isSupported ? {} : { remedy };
}

const ORIGINS: Readonly<Record<TemporalBinary['origin'], string>> = {
  CUPID_TEMPORAL: 'named by CUPID_TEMPORAL',
  PATH: 'found on PATH',
  cache: 'kept by an earlier run',
  downloaded: 'downloaded',
  built: 'built',
};

/** Checks whether a run on the embedded server would start, and how it would get the server. */
async function checkEmbedded(): Promise<DoctorFinding> {
  const { from, binary, problems } = await forecastTemporal();
  const description = {
    installed: binary === undefined ? '' : `${binary.server}, ${binary.path} (${ORIGINS[binary.origin]})`,
    download: `not installed. The first run downloads it (CLI ${CLI_VERSION})`,
    build: `not installed. The first run builds it with Go (CLI ${CLI_VERSION}), which takes about five minutes`,
    nowhere: 'none can be used, downloaded or built',
  }[from];
  return {
    name: 'Temporal server',
    good: from !== 'nowhere',
    detail: [description, ...problems].join('\n     '),
    ...(from === 'nowhere' ? { remedy: REMEDY } : {}),
  };
}

async function checkModelSpecs(specs: readonly string[]): Promise<DoctorFinding[]> {
  const uses = specs.map((spec) => ({ spec, asking: { temperature: 0 } }));
  const checked = await checkNamedModels(listUsesToCheck(uses), {
    environment: process.env,
    signal: new AbortController().signal,
    today: getToday(),
  });
  const called = checked.map((model): DoctorFinding => {
    const { failures, warnings } = listFindings([model]);
    const remedy = [...failures, ...warnings].join(' ');
    return {
      name: model.spec,
      ...('kind' in model.outcome
        ? { good: false, detail: `no answer (${model.outcome.kind})` }
        : { good: true, detail: `answered in ${model.durationMs} ms` }),
      // A retryable problem does not prevent a run from starting.
      ...(failures.length === 0 ? ({ optional: true } as const) : {}),
      ...(remedy === '' ? {} : { remedy }),
    };
  });
  const local = specs.filter((spec) => !checked.some((model) => model.spec === spec));
  return [...called, ...local.map((spec) => ({ name: spec, good: true, detail: 'needs no check' }))];
}

function listProviderFindings(): DoctorFinding[] {
  return checkProviders(process.env).map(({ provider, key, problem }) => ({
    name: provider,
    good: problem === undefined,
    detail: `key ${key}`,
    ...(problem === undefined ? {} : { remedy: problem }),
  }));
}
